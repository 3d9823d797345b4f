"""Memory of one chunk is kept for the next, even where Dask told the C library otherwise."""

import os
import platform
import subprocess
import sys

import pytest

FAULTS = """
import resource
import numpy as np
from novikoff.data.files.malloc import keep_freed_memory
keep_freed_memory()
def take():
    for _ in range(50):
        np.ones(2**20)  # 8 MB, 2,048 pages
take()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
take()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="of GNU's C library")
@pytest.mark.parametrize("trim", [None, "65536"])
def test_memory_given_back_is_taken_again_without_asking_the_system(trim):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    if trim is not None:
        environment["MALLOC_TRIM_THRESHOLD_"] = trim  # as Dask starts workers
    asked = [sys.executable, "-c", FAULTS]
    done = subprocess.run(asked, env=environment, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 2048
