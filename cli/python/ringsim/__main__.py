"""python -m ringsim --gpus 5"""
from . import Error, main

try:
    main()
except Error as why:
    raise SystemExit("ringsim: %s" % why) from None
