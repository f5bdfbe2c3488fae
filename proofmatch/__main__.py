"""`python -m proofmatch` is the command line too."""

import sys

from .cli import main

sys.exit(main())
