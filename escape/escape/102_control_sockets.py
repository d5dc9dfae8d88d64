# id: escape/102
# technique: sockets that command containers and the host's init
# family: network
# attacks: no-network
# context: job
# reaches: the host, as root
# expect: verdict denied
# must-not: verdict REACHED
# control: outside
import json
import os
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/102", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


hits, there = [], 0
for name in (
    "/var/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock",
    "/run/crio/crio.sock", "/run/systemd/private", "/run/dbus/system_bus_socket",
    "/run/firecracker.socket", "/run/snapd.socket", "/run/libvirt/libvirt-sock",
):
    there += os.path.exists(name)
    with socket.socket(socket.AF_UNIX) as one:
        try:
            one.settimeout(1)
            one.connect(name)
            hits.append(name)
        except OSError:
            pass
say(hits, hits, absent=there == 0)
