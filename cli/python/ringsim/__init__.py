"""ringsim in Python: its commands as functions, their JSON as answers.

    import ringsim
    r = ringsim.run(gpus=5)
    r.makespan_ps, r.busbw_GBps, r.verdict    # what `ringsim run --gpus 5 --json` says
    print(r.table())                         # what it says without --json
    r                                        # in a notebook: the run, to walk through, offline

The functions are in ringsim.commands, made from the program's own table of options: help(ringsim.compare).
"""
import html
import json
import os
import subprocess
import sys
import sysconfig
import tempfile

__all__ = ["Answer", "Error", "program"]


class Error(ValueError):
    """What the program refuses: its own sentence. `status` is its exit status: 2 bad input, 3 not here."""

    def __init__(self, sentence, status):
        super().__init__(sentence)
        self.status = status


def program():
    """The path of the program: $RINGSIM, or the one that was installed with this module."""
    named = os.environ.get("RINGSIM")
    if named:
        return named
    for scheme in sysconfig.get_scheme_names():
        path = os.path.join(sysconfig.get_path("scripts", scheme), "ringsim")
        if os.access(path, os.X_OK) and _is_ours(path):
            return path
    raise Error("the program `ringsim` is not where the package has put it; set RINGSIM=/path/to/ringsim", 3)


def _is_ours(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def _words(value):
    """An option's value as the program reads it: lists by commas, all else as it is."""
    if isinstance(value, (list, tuple, range)):
        return ",".join(_words(one) for one in value)
    return str(value)


def _arguments(command, places, options):
    out = [command]
    for name, value in options.items():
        if value is None or value is False:
            continue
        name = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            out.append(name)
        elif name == "--compare":  # may come several times
            for one in [value] if isinstance(value, str) else value:
                out += [name, _words(one)]
        else:
            out += [name, _words(value)]
    return out + [os.fspath(place) for place in places]


def _start(arguments, text):
    try:
        done = subprocess.run([program()] + arguments, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", errors="replace")
    except OSError as why:
        raise Error("%s: %s" % (why.filename, why.strerror), 3) from why
    if done.returncode not in (0, 1):  # 1: it was judged, and is not what it should be
        said = done.stderr.strip().splitlines() or ["ringsim ended with status %d" % done.returncode]
        raise Error(said[-1].split("ringsim: ", 1)[-1], done.returncode)
    return done


class Answer:
    """An object of the program's JSON: its members as attributes, in lists as well; ["name"] where a name is no word.

    `status` is the exit status, 1 where what was judged is wrong, or not the same."""

    def __init__(self, members, asked=None, status=0):
        self.__dict__["json"] = members
        self.__dict__["_asked"] = asked
        self.__dict__["status"] = status

    def __getattr__(self, name):
        try:
            return _answer(self.json[name])
        except KeyError:
            raise AttributeError("no `%s` here; there are: %s" % (name, ", ".join(self.json))) from None

    def __getitem__(self, name):
        return _answer(self.json[name])

    def __setattr__(self, name, value):
        raise AttributeError("an answer does not change")

    def __dir__(self):
        return list(self.json) + ["json", "status", "table"]

    def __repr__(self):
        return self.table() if self._asked else json.dumps(self.json, ensure_ascii=False)

    def table(self):
        """What the program says in words and tables."""
        if not self._asked:
            raise Error("only a whole answer has a table", 2)
        arguments, text, walks = self._asked
        return _start(arguments + (["--view", "text"] if walks == "always" else []), text).stdout.rstrip("\n")

    def _repr_html_(self):
        if not self._asked:
            return None
        arguments, text, walks = self._asked
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "run.html")
            try:
                if walks:
                    _start(arguments + ["--export", page], text)
            except Error:
                pass  # this wheel was made without the page
            if os.path.exists(page):
                with open(page, encoding="utf-8") as file:
                    page = html.escape(file.read())
                return '<iframe srcdoc="%s" style="width:100%%;height:560px;border:0" title="ringsim"></iframe>' % page
        return "<pre>%s</pre>" % html.escape(self.table())


def _answer(value):
    if isinstance(value, dict):
        return Answer(value)
    if isinstance(value, list):
        return [_answer(one) for one in value]
    return value


def _call(command, places, options, walks, text=None):
    """Calls the program: `places` are its arguments, `options` by their names, `text` is its stdin."""
    arguments = _arguments(command, places, options)
    done = _start(arguments + ["--json"], text)
    try:
        members = json.loads(done.stdout)
    except ValueError:
        raise Error((done.stderr or done.stdout).strip() or "no answer", done.returncode) from None
    return Answer(members, (arguments, text, walks), done.returncode)


def main():
    """The program itself, with the arguments of this process."""
    path = program()
    os.execv(path, [path] + sys.argv[1:])


from .commands import *  # noqa: E402,F401,F403
from .commands import __all__ as _names  # noqa: E402

__all__ += _names
