"""One table of extensions and features: everything that speaks of them agrees with it."""

from __future__ import annotations

import pytest

from cl2cuda.builtins.constants import constants
from cl2cuda.builtins.extensions import EXTENSIONS, FEATURES, OFFERED_EXTENSIONS, OFFERED_FEATURES
from cl2cuda.builtins.opaque import OPAQUE
from cl2cuda.builtins.rows import ROWS
from cl2cuda.runtime.devices.queries import QUERIES
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.api_extensions import API_EXTENSIONS
from cl2cuda.translator import Dialect


def test_whatever_is_required_is_in_the_table():
    required = {name for each in (*ROWS, *constants.values(), *OPAQUE.values()) for name in each.requires.split(" or ")} - {""}
    assert required <= {*EXTENSIONS, *FEATURES}


def test_what_is_offered_brings_what_it_needs():
    offered = {each.name for each in OFFERED_FEATURES}
    assert all(offered.issuperset(each.needs) for each in OFFERED_FEATURES)
    assert ("__opencl_c_fp64" in offered) == EXTENSIONS["cl_khr_fp64"].offered


def test_the_language_and_the_device_offer_the_same(device):
    value = {row.name: QUERIES.get(device, row.code) for row in QUERIES.rows if "EXTENSIONS" in row.name or "FEATURES" in row.name}
    dialect = Dialect(version=300, forward_progress=bool(QUERIES.get(device, codes.DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS)))
    assert {name for name, _ in value["DEVICE_OPENCL_C_FEATURES"]} == set(dialect.features)
    language = {*value["DEVICE_EXTENSIONS"].split()} - {each.name for each in API_EXTENSIONS}
    macros = dialect.predefined_macros()
    assert language == set(dialect.extensions) & set(macros)
    assert {each.name for each in OFFERED_EXTENSIONS if dialect.forward_progress or not each.only_on_gpus} == language
    assert set(dialect.features) <= set(macros)
    assert not {each.name for each in EXTENSIONS.values() if not each.offered} & set(macros)


def test_image_support_is_the_feature():
    assert "__IMAGE_SUPPORT__" not in Dialect(features=()).predefined_macros()
    assert "__IMAGE_SUPPORT__" in Dialect(features=("__opencl_c_images",)).predefined_macros()


@pytest.mark.parametrize(("version", "generic"), [(100, False), (120, False), (200, True), (300, True)])
def test_features_by_version(version, generic):
    assert Dialect(version=version).generic is generic
    assert not Dialect(version=300, features=("__opencl_c_int64",)).generic
    assert ("__opencl_c_int64" in Dialect(version=version).predefined_macros()) == (version == 300)
