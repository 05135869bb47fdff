"""The table of all targets, by name."""

from tests.fuzz.app_targets import APP_TARGETS
from tests.fuzz.file_targets import FILE_TARGETS
from tests.fuzz.kinds import Target
from tests.fuzz.page_targets import PAGE_TARGETS
from tests.fuzz.text_targets import TEXT_TARGETS
from tests.fuzz.web_targets import WEB_TARGETS

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (*PAGE_TARGETS, *WEB_TARGETS, *FILE_TARGETS, *TEXT_TARGETS, *APP_TARGETS)
}
