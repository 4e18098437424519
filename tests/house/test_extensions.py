"""One table of extensions and features: everything that speaks of them agrees with it."""

from __future__ import annotations

import pytest

from cl2cuda.builtins.constants import constants
from cl2cuda.builtins.extensions import EXTENSIONS, FEATURES
from cl2cuda.builtins.opaque import OPAQUE
from cl2cuda.builtins.rows import ROWS
from cl2cuda.translator import Dialect


def test_whatever_is_required_is_in_the_table():
    required = {name for each in (*ROWS, *constants.values(), *OPAQUE.values()) for name in each.requires.split(" or ")} - {""}
    assert required <= {*EXTENSIONS, *FEATURES}


def test_image_support_is_the_feature():
    assert "__IMAGE_SUPPORT__" not in Dialect(features=()).predefined_macros()
    assert "__IMAGE_SUPPORT__" in Dialect(features=("__opencl_c_images",)).predefined_macros()


@pytest.mark.parametrize(("version", "generic"), [(100, False), (120, False), (200, True), (300, True)])
def test_features_by_version(version, generic):
    assert Dialect(version=version).generic is generic
    assert not Dialect(version=300, features=("__opencl_c_int64",)).generic
    assert ("__opencl_c_int64" in Dialect(version=version).predefined_macros()) == (version == 300)
