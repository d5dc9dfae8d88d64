"""Turnover per region, best product and best month of `sales.csv`.

    stockade run examples/sales_summary.py --file examples/sales.csv \\
        --schema examples/sales_summary.schema.json

Inside the boundary the file is `/work/sales.csv`: `--file` puts files into `/work`. Money is
`Decimal`, so that the value holds the very cents of the table and no rounding of binary fractions.
Rows that cannot be read are named in the value: what was left out is part of the answer.
"""
import csv
from collections import defaultdict
from datetime import date
from decimal import Decimal, InvalidOperation

import stockade_guest as g


def read(path):
    """The rows that make sense, and for each other one its line and what is wrong with it."""
    rows, skipped = [], []
    with open(path, newline="", encoding="utf-8") as file:
        for line, row in enumerate(csv.DictReader(file), start=2):
            try:
                rows.append(
                    {
                        "month": date.fromisoformat(row["date"]).strftime("%Y-%m"),
                        "region": row["region"],
                        "product": row["product"],
                        "turnover": int(row["units"]) * Decimal(row["unit_price"]),
                    }
                )
            except (ValueError, InvalidOperation):
                skipped.append({"line": line, "order": row["order"]})
    return rows, skipped


def turnover_by(rows, column):
    """The sum of turnover for each value of `column`, in the order of the names."""
    sums = defaultdict(Decimal)
    for row in rows:
        sums[row[column]] += row["turnover"]
    return dict(sorted(sums.items()))


def best(sums):
    """The entry with the highest sum."""
    name = max(sums, key=sums.get)
    return {"name": name, "turnover": sums[name]}


rows, skipped = read("/work/sales.csv")
# Text for people: what is printed is never the value.
print(f"{len(rows)} rows read, {len(skipped)} left out")
g.emit(
    {
        "rows": len(rows),
        "skipped": skipped,
        "turnover": sum(row["turnover"] for row in rows),
        "by_region": turnover_by(rows, "region"),
        "best_product": best(turnover_by(rows, "product")),
        "best_month": best(turnover_by(rows, "month")),
    }
)
