import subprocess
import sys

from proofmatch.evaluation import decoding


def test_every_public_name_is_there():
    for name in decoding.__all__:
        assert getattr(decoding, name).__name__ == name


def test_opening_the_package_loads_nothing_heavy():
    code = (
        "import sys, proofmatch.evaluation.decoding.exact\n"
        "print([name for name in ('scipy', 'sklearn', 'lap', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
