"""Runs queries with Python's sqlite3 and prints the seconds that it took.

Standard input has a line for each query: the path of its database, a tab, and
the query as JSON. Databases are opened once, within the measured time, and read
only, for Python makes an empty file of one that is missing; rows are fetched, with
text decoded as the official evaluator of Spider decodes it.
"""

import json
import sqlite3
import sys
import time
from pathlib import Path

queries = []
for line in sys.stdin:
    path, query = line.rstrip("\n").split("\t", 1)
    queries.append((path, json.loads(query)))

start = time.perf_counter()
opened = {}
for path, query in queries:
    try:
        if path not in opened:
            opened[path] = sqlite3.connect(Path(path).as_uri() + "?mode=ro", uri=True)
            opened[path].text_factory = lambda b: b.decode(errors="ignore")
        opened[path].execute(query).fetchall()
    except (sqlite3.Error, sqlite3.Warning):
        pass
print(time.perf_counter() - start)
