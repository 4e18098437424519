"""What continuous integration runs: `.ci/opencl_tests` chooses the device, and the action and the recipe use it."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".ci" / "opencl_tests"

SMI = """#!/bin/sh
if [ "$1" = -L ]; then echo "GPU 0: NVIDIA H200 (UUID: GPU-0)"; exit; fi
echo "| NVIDIA-SMI 999.00    Driver Version: 999.00    CUDA Version: {version}     |"
"""
NO_GPU = "#!/bin/sh\necho 'NVIDIA-SMI has failed'\nexit 9\n"


@pytest.fixture
def run(tmp_path):
    """Runs the script with an nvidia-smi of ours, and returns (status, standard output, standard error)."""

    def run(smi, *words, device="auto"):
        program = tmp_path / "nvidia-smi"
        program.write_text(smi)
        program.chmod(0o755)
        variables = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "DEVICE": device}
        done = subprocess.run([SCRIPT, *words], env=variables, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.mark.parametrize("smi, device, extra", [
    (SMI.format(version="13.0"), "auto", "cuda13"), (SMI.format(version="14.1"), "cuda", "cuda13"),
    (SMI.format(version="12.4"), "auto", "cuda12"), (SMI.format(version="13.0"), "host", "host"), (NO_GPU, "auto", "host")])
def test_the_machine_says_what_it_needs(run, smi, device, extra):
    assert run(smi, "--requirement", device=device) == (0, f"{extra}\n", "")


@pytest.mark.parametrize("smi, device, chosen", [(SMI.format(version="13.0"), "auto", "cuda"), (NO_GPU, "auto", "host"),
                                                 (SMI.format(version="13.0"), "host", "host")])
def test_the_command_runs_on_the_device(run, smi, device, chosen):
    status, out, err = run(smi, "sh", "-c", "echo $CL2CUDA_DEVICE $CL2CUDA_INSTALL", device=device)
    assert (status, out) == (0, f"{chosen} 1\n")
    assert chosen in err


def test_the_commands_status_is_the_scripts(run):
    assert run(NO_GPU, "sh", "-c", "exit 7")[0] == 7


def test_a_gpu_that_is_asked_for_must_be_there(run):
    status, _, err = run(NO_GPU, "true", device="cuda")
    assert status == 2 and "finds no GPU" in err


def test_mistakes(run):
    assert run(NO_GPU, "true", device="gpu")[0] == 2
    assert run(NO_GPU)[0] == 2


def test_action_and_container_name_files_that_are_there():
    for name in ("action.yml", ".ci/Containerfile", ".github/workflows/ci.yml", ".github/workflows/release.yml"):
        named = re.findall(r"\.ci/\w+", (ROOT / name).read_text())
        assert named, name
        assert all((ROOT / path).exists() for path in named), (name, named)


def test_the_hook_runs_a_command_that_exists():
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert "entry: cl2cuda check\n" in text
