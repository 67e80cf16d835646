#!/bin/sh
# make wheel: the same bytes each time; in an empty virtual environment, without a network, the program and the module run,
# and so do the cells of docs/notebook.
set -u
failed=0
say() { # STATUS WHAT
    if [ "$1" = 0 ]; then echo "ok $2"; else
        [ ! -s "$SCRATCH/log" ] || tail -n 12 "$SCRATCH/log" | sed 's/^/    /'
        echo "not ok $2" && failed=1
    fi
}
if ! python3 -m venv "$SCRATCH/venv" >"$SCRATCH/log" 2>&1 || ! command -v objdump >/dev/null; then
    echo "ok make wheel # skip: no python3 with venv and pip, or no objdump"
    exit 0
fi
export LC_ALL=C.UTF-8 PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1
unset RINGSIM PYTHONPATH
make --no-print-directory wheel >"$SCRATCH/log" 2>&1
say $? "make wheel"
wheel=$(ls build/ringsim-*-py3-none-*.whl)
cp "$wheel" "$SCRATCH/first" && make --no-print-directory wheel >"$SCRATCH/log" 2>&1 && cmp "$wheel" "$SCRATCH/first"
say $? "twice the same"
python=$SCRATCH/venv/bin/python
"$python" -m pip install --quiet --no-deps "$wheel" >"$SCRATCH/log" 2>&1
say $? "installed without a network"
top=$PWD
cd "$SCRATCH" || exit 1
"$python" -m ringsim --gpus 5 --view text >log 2>&1 && grep -q '100 % of the lower bound' log
say $? "python -m ringsim --gpus 5"
venv/bin/ringsim machine dgx-h100 --lang zh_CN >log 2>&1 && grep -q 'dgx-h100' log
say $? "the program finds its machines beside it"
cat >try.py <<'END'
import inspect
import os
import sys
import ringsim
run = ringsim.run(gpus=5, bytes="1MiB")
assert run.gpus == 5 and run.makespan_ps > 0 and run.status == 0, run.json
assert "lower bound" in run.table()
page = run._repr_html_()
if os.path.exists(sys.prefix + "/share/ringsim/ringsim.html"):
    assert page.startswith("<iframe srcdoc=") and "</html>" in page.replace("&lt;", "<").replace("&gt;", ">")
else:
    assert page.startswith("<pre>"), page[:80]
assert [row.algorithm for row in ringsim.compare(gpus=[2, 4], algo=["ring", "tree"], bytes="1KiB").rows] == ["ring", "tree"] * 2
assert ringsim.machine("dgx-h100").gpus == 8
assert ringsim.bits(gpus=4, compare=["algo=tree", "proto=ll128"]).status == 1
assert "set the device" in ringsim.explain(text="Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 5\n").table()
assert ringsim.train(gpus=4, mode="zero3").mode == "zero3"
for wrong in (lambda: ringsim.run(gpus=0), lambda: ringsim.estimate(machine="nope"), lambda: ringsim.explain("no/such/file")):
    try:
        wrong()
        raise SystemExit("not refused")
    except ringsim.Error as why:
        assert why.status == 2 and "\n" not in str(why), (why.status, str(why))
try:
    run.speed
    raise SystemExit("no such member, and no error")
except AttributeError as why:
    assert "makespan_ps" in str(why)
for name in ringsim.__all__:
    assert inspect.getdoc(getattr(ringsim, name)), name
assert "zero3" in ringsim.train.__doc__ and "slow_gpu" in inspect.signature(ringsim.train).parameters
END
"$python" try.py >log 2>&1
say $? "the module: answers, tables, pages, refusals, texts of help"
# A cell's last line is shown, as a notebook does it.
cat >cells.py <<'END'
import ast, json, sys
names = {}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] != "code":
        continue
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last:
        shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        assert len(getattr(shown, "_repr_html_", shown.__repr__)()) > 4
END
for notebook in notebook notebook.zh_CN; do
    "$python" cells.py "$top/docs/$notebook.ipynb" >log 2>&1
    say $? "the cells of docs/$notebook.ipynb"
done
"$python" -m pip uninstall --quiet --yes ringsim >log 2>&1
find venv -name "*ringsim*" -type f >>log # pip may leave an empty folder
[ ! -s log ]
say $? "removed, it leaves nothing"
exit $failed
