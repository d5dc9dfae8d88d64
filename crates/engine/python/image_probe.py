"""Says what the Python of an image is: run as a submission, in a boundary, with nothing of ours
beside it."""
import json
import os
import site
import sys
import sysconfig


def glibc():
    try:
        name, version = os.confstr("CS_GNU_LIBC_VERSION").split()
        return [int(part) for part in version.split(".")[:2]] if name == "glibc" else None
    except (ValueError, OSError, AttributeError):
        return None


with open(sys.argv[1], "w") as file:
    json.dump(
        {
            "version": list(sys.version_info[:3]),
            "platform": sysconfig.get_platform(),
            "glibc": glibc(),
            "sites": site.getsitepackages() if hasattr(site, "getsitepackages") else [],
        },
        file,
    )
