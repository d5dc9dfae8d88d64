# id: escape/104
# technique: which address families can be opened at all
# family: network
# attacks: filtered-syscalls
# context: job
# reaches: netlink, packet, crypto, vsock and other rarely used code
# expect: verdict denied
# must-not: any family but AF_UNIX
# control: outside
import json
import socket


def say(reached, detail, absent=False):
    verdict = "REACHED" if reached else "DENIED"
    line = {"id": "escape/104", "verdict": verdict, "absent": absent, "detail": str(detail)[:300]}
    print(json.dumps(line), flush=True)


families = {
    "INET": (2, 1), "INET6": (10, 1), "NETLINK": (16, 3), "PACKET": (17, 3), "ALG": (38, 5),
    "VSOCK": (40, 1), "XDP": (44, 3), "TIPC": (30, 1), "CAN": (29, 3), "BLUETOOTH": (31, 1),
    "AX25": (3, 5), "KEY": (15, 3), "RDS": (21, 5), "LLC": (26, 1), "PHONET": (35, 2),
    "IEEE802154": (36, 3), "NFC": (39, 3), "KCM": (41, 5), "QIPCRTR": (42, 2), "SMC": (43, 1),
}
hits = []
for name, (family, kind) in families.items():
    try:
        socket.socket(family, kind).close()
        hits.append(name)
    except OSError:
        pass
say(hits, hits)
