# Case 17: what an ordinary program imports and does.
import asyncio
import concurrent.futures as cf
import json
import sqlite3
import ssl
import subprocess
import tempfile
import threading
import uuid
import zoneinfo

with cf.ThreadPoolExecutor(4) as pool:
    mapped = list(pool.map(abs, [-1, -2]))


async def three():
    await asyncio.sleep(0)
    return 3


async def shell():
    child = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    return (await child.communicate(b"through"))[0].decode()


with tempfile.TemporaryDirectory() as directory:
    base = sqlite3.connect(directory + "/base")
    base.execute("pragma journal_mode=wal")
    base.execute("create table t (x)")
    base.executemany("insert into t values (?)", [(n,) for n in range(100)])
    base.commit()
    total = base.execute("select sum(x) from t").fetchone()[0]
    base.close()

ssl.create_default_context()
lock = threading.Lock()
with lock:
    pass
zones = len(zoneinfo.available_timezones()) > 0
print(json.dumps([
    mapped,
    asyncio.run(three()),
    subprocess.run(["true"]).returncode,
    str(uuid.uuid4())[14],
    asyncio.run(shell()),
    total,
    zones,
]))
