"""`python -m cl2cuda`: the command line."""

import sys

from .cli import main

sys.exit(main())
