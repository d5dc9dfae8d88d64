"""The turnover of the next three months, from `sales.csv`, with a chart.

    stockade template build code-interpreter
    stockade run --template code-interpreter examples/forecast.py --file examples/sales.csv

A straight line through the months, by least squares: with half a year of sales anything cleverer
would be pretence. The range is that of 19 forecasts in 20 if months scatter around the line as
they did so far. The chart is in the value as well, as the bytes of a PNG in base64.
"""
import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import stockade_guest as g
from scipy import stats

AHEAD = 3


def monthly(path):
    """Turnover by month; rows that cannot be read count as nothing, and are counted."""
    table = pd.read_csv(path)
    units = pd.to_numeric(table["units"], errors="coerce")
    price = pd.to_numeric(table["unit_price"], errors="coerce")
    day = pd.to_datetime(table["date"], errors="coerce", format="%Y-%m-%d")
    turnover = units * price
    good = day.notna() & turnover.notna()
    sums = turnover[good].groupby(day[good].dt.to_period("M")).sum()
    return sums, int((~good).sum())


def forecast(sums):
    """A line through the months, and how far off each of the next ones may be."""
    x = np.arange(len(sums))
    line = stats.linregress(x, sums.to_numpy())
    off = sums.to_numpy() - (line.intercept + line.slope * x)
    spread = np.sqrt((off**2).sum() / (len(x) - 2))
    ahead = np.arange(len(x), len(x) + AHEAD)
    leverage = 1 + 1 / len(x) + (ahead - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum()
    half = stats.t.ppf(0.975, len(x) - 2) * spread * np.sqrt(leverage)
    months = pd.period_range(sums.index[-1] + 1, periods=AHEAD, freq="M")
    turnover = line.intercept + line.slope * ahead
    return pd.DataFrame({"turnover": turnover, "half": half}, index=months)


def chart(sums, future):
    """Months so far and to come, as a PNG."""
    figure, axes = plt.subplots(figsize=(7, 3.5))
    axes.plot([str(month) for month in sums.index], sums, marker="o", label="so far")
    axes.errorbar(
        [str(month) for month in future.index],
        future["turnover"],
        yerr=future["half"],
        fmt="o--",
        capsize=4,
        label="forecast",
    )
    axes.set_ylabel("turnover")
    axes.legend()
    axes.tick_params(axis="x", rotation=45)
    figure.tight_layout()
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=80)
    return image.getvalue()


sums, skipped = monthly("/work/sales.csv")
future = forecast(sums)
print(f"{len(sums)} months read, {skipped} rows left out")
g.emit(
    {
        "skipped": skipped,
        "months": [
            {
                "month": str(month),
                "turnover": round(float(row.turnover), 2),
                "low": round(float(row.turnover - row.half), 2),
                "high": round(float(row.turnover + row.half), 2),
            }
            for month, row in future.iterrows()
        ],
        "chart": chart(sums, future),
    }
)
