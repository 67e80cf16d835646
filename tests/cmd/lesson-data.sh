#!/bin/sh
# lesson-data.sh: what the course says as data: GIFT, JSON and the printed lesson tell the same quizzes; the list tells where
# one stands, each word below its head.
. tests/tools/command-test
XDG_DATA_HOME=$SCRATCH/data
export XDG_DATA_HOME
"$ringsim" lesson 5 >out 2>err </dev/null
if [ $? = 3 ] && grep -q 'without Markdown' err; then
    echo "ok the course as data # skip: built without md4c"
    exit 0
fi
command -v python3 >/dev/null 2>&1 || {
    echo "ok the course as data # skip: no python3"
    exit 0
}

"$ringsim" lesson --gift quiz.gift && "$ringsim" lesson --json >list.json
for n in $(sed 's/{"number"/\n&/g' list.json | sed -n 's/^{"number":\([0-9]*\),.*/\1/p'); do
    "$ringsim" lesson "$n" --json --key >"key$n.json" && "$ringsim" lesson "$n" --json >"bare$n.json" &&
        "$ringsim" lesson "$n" >"text$n" </dev/null
done
python3 - <<'END'
import json, re, sys
bad = []
def without_key(x):
    if isinstance(x, dict): return {k: without_key(v) for k, v in x.items() if k not in ("answer", "because", "reasons")}
    if isinstance(x, list): return [without_key(v) for v in x]
    return x
def plain(text): # words, however the lines are broken
    return " ".join(re.sub(r"\\n", "\n", text).split())
def bare(text): # of GIFT
    return plain(re.sub(r"\\([~=#{}:\\])", r"\1", text.replace("\\n", "\n")))
blocks = re.findall(r"^::(\d+) ([^\n]*?)::\[plain\](.*?) \{\n(.*?)^\}\n", open("quiz.gift").read(), re.M | re.S)
heads = re.findall(r"^// (\d+)\. (.*)\n\n::", open("quiz.gift").read(), re.M)
lessons = json.load(open("list.json"))["lessons"]
if heads != [(str(l["number"]), l["title"]) for l in lessons]: bad.append("heads")
for l in lessons:
    n = l["number"]
    whole = json.load(open("key%d.json" % n))
    if without_key(whole) != json.load(open("bare%d.json" % n)): bad.append("%d: --key adds more than the key" % n)
    if [x["title"] for x in whole["pages"]] == [] or len(whole["questions"]) != l["questions"]: bad.append("%d: pages" % n)
    if l["stops"] != 3 + len(whole["pages"]) + len(whole["questions"]) + 1: bad.append("%d: %d stops" % (n, l["stops"]))
    own = [b for b in blocks if int(b[0]) == n]
    quizzes = [whole["prediction"]] + whole["questions"]
    if len(own) != len(quizzes): bad.append("%d: %d quizzes in GIFT, %d in JSON" % (n, len(own), len(quizzes)))
    story = sum("before_page" in q for q in quizzes)
    for i, (b, q) in enumerate(zip(own, quizzes)):
        if plain(q["text"]) != bare(b[2]): bad.append("%d.%d: text" % (n, i))
        rows = [re.match(r"([=~])((?:[^#\\]|\\.)*)#(.*)$", row) for row in b[3].strip("\n").split("\n")]
        right = ord(q["answer"]) - ord("a")
        if len(rows) != len(q["choices"]) or None in rows: bad.append("%d.%d: rows" % (n, i)); continue
        for k, row in enumerate(rows):
            if (row[1] == "=") != (k == right): bad.append("%d.%d%s: marked" % (n, i, "abcde"[k]))
            if bare(row[2]) != plain(q["choices"][k]): bad.append("%d.%d%s: choice" % (n, i, "abcde"[k]))
            if bare(row[3]) != plain(q["because"] if k == right else q["reasons"][k]): bad.append("%d.%d%s: why" % (n, i, "abcde"[k]))
        if (q["reasons"][right] is not None) or sum(x is None for x in q["reasons"]) != 1: bad.append("%d.%d: reasons" % (n, i))
        # those of the story have their own names, those behind it are numbered
        number = i - story
        if i > 0 and "before_page" not in q and not re.match(r".* %d$" % number, b[1]): bad.append("%d.%d: %s" % (n, i, b[1]))
        if (i == 0 or "before_page" in q) and re.match(r".* \d+$", b[1]) and not q["text"].startswith(b[1]): bad.append("%d.%d: named %s" % (n, i, b[1]))
        if "before_page" in q and not 1 <= q["before_page"] <= len(whole["pages"]): bad.append("%d.%d: before page" % (n, i))
    # what is printed: each title once, in order, the heading before the first question behind the story
    lines = open("text%d" % n).read().split("\n")
    places = [lines.index(x["title"]) for x in whole["pages"] if x["title"]]
    if places != sorted(places): bad.append("%d: titles in another order" % n)
    asked = [i for i, x in enumerate(lines) if x == "Questions"]
    if len(asked) != 1: bad.append("%d: %d headings of questions" % (n, len(asked)))
    first = quizzes[story + 1]["text"].split()
    behind = " ".join(" ".join(lines[asked[0] + 1:asked[0] + 12]).split()) if asked else ""
    if " ".join(first[:6]) not in behind[:120]: bad.append("%d: the heading does not stand before the first question: %s" % (n, behind[:60]))
    answers = lines[lines.index("Answers"):]
    for i in range(1, len(quizzes) - story):
        if answers.count("Questions %d" % i) != 1: bad.append("%d: answer %d" % (n, i))
    if "Questions %d" % (len(quizzes) - story) in answers or "Questions 0" in answers: bad.append("%d: too many answers" % n)
print("\n".join(bad[:20]))
sys.exit(bool(bad))
END
report $? "GIFT, JSON and text tell the same quizzes, choices and reasons"

# The list: as data what the file of progress says; in words each below its head.
mkdir -p "$XDG_DATA_HOME/ringsim"
python3 - <<'END'
import json, random
random.seed(3)
lessons = json.load(open("list.json"))["lessons"]
out = open("data/ringsim/progress", "w")
out.write("ringsim progress 1\n")
want = []
for l in lessons:
    key = [q["answer"] for q in json.load(open("key%d.json" % l["number"]))["questions"]]
    kind = random.randrange(4)
    if kind == 0: want.append([0, 0, 0, 0, 0]); continue
    most = [0, l["stops"] - 1, random.randrange(l["stops"])][kind - 1]
    at = random.randint(0, most)
    given = "".join(random.choice("-" + k * 2 + "ab") for k in key)
    points, of = random.choice([(0, 0), (18, 20), (0, 20)])
    ranks, ranks_of = random.choice([(0, 0), (4, 5)])
    out.write("%02d %d %d %d a %s%s%s\n" % (l["number"], at, most, l["stops"], given, " %d/%d" % (points, of) if of or ranks_of else "",
        " %d/%d" % (ranks, ranks_of) if ranks_of else ""))
    want.append([at, most, sum(a == b for a, b in zip(key, given)), points + ranks, of + ranks_of])
json.dump(want, open("want.json", "w"))
END
"$ringsim" lesson --json >stands.json && "$ringsim" lesson >words
python3 - <<'END'
import json, re, sys
bad = []
want = json.load(open("want.json"))
stands = json.load(open("stands.json"))["lessons"]
for l, w in zip(stands, want):
    if [l["at"], l["furthest"], l["right"], l["points"], l["of_points"]] != w: bad.append("%s, not %s" % (l, w))
lines = open("words").read().split("\n")
head = lines[0]
place, right, lab = head.index("you are at"), head.index("right"), head.index("lab")
given = [line.split() for line in open("data/ringsim/progress")][1:]
begun = {int(g[0]): g for g in given}
for l, w, line in zip(stands, want, lines[1:]):
    n = l["number"]
    if int(line[:4]) != n: bad.append(line)
    cells = line[place:right].strip(), line[right:lab].strip(), line[lab:].strip()
    read = w[1] == l["stops"] - 1
    answered = n in begun and set(begun[n][5]) != {"-"}
    wanted = ("read" if read else cells[0], "%d/%d" % (w[2], l["questions"]) if answered else "", "%d/%d" % (w[3], w[4]) if w[4] else "")
    if cells != wanted or (cells[0] != "") != (w[1] > 0): bad.append("%s: %s, not %s" % (line, cells, wanted))
next_one = [l["number"] for l in stands if l["number"] in begun and l["furthest"] < l["stops"] - 1]
if not any(re.search(r"What is next: .* lesson %d$" % next_one[0], line) for line in lines): bad.append("next is %d" % next_one[0])
print("\n".join(bad[:20]))
sys.exit(bool(bad))
END
report $? "the list says where one stands, in words and as JSON"
exit $failed
