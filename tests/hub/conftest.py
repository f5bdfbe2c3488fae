"""The Hub's own tests use its fixtures too."""

from tests.hub.fixtures import hub as hub
from tests.hub.fixtures import owner as owner
from tests.hub.fixtures import stranger as stranger
