//! The packages themselves, each doing what it is for.

use crate::start::gives;

#[test]
fn pandas_groups_and_its_values_leave_the_guest() {
    let source = "\
import numpy as np, pandas as pd
days = pd.date_range('2024-02-28', periods=3)
t = pd.DataFrame({'k': ['a', 'b', 'a'], 'v': [1, 2, 3], 'd': days})
emit({'sum': t.groupby('k')['v'].sum().to_dict(), 'last': t['d'].max().isoformat(),
      'mean': np.float64(t['v'].mean()), 'array': np.arange(3)})
";
    let expected = "{\"sum\":{\"a\":4,\"b\":2},\"last\":\"2024-03-01T00:00:00\",\"mean\":2.0,\
                    \"array\":[0,1,2]}";
    gives(source, &[], expected);
}

#[test]
fn matplotlib_saves_a_png() {
    let source = "\
import matplotlib.pyplot as plt
figure, axes = plt.subplots()
axes.plot([1, 2, 3]); axes.set_title('Größe')
figure.savefig('/work/a.png')
from PIL import Image
with Image.open('/work/a.png') as image: emit([image.format, image.size])
";
    gives(source, &[], "[\"PNG\",[640,480]]");
}

#[test]
fn numba_compiles_and_caches() {
    let source = "\
import numba, os
@numba.njit(cache=True)
def total(n):
    s = 0
    for i in range(n): s += i * i
    return s
@numba.njit(parallel=True)
def spread(n):
    s = 0
    for i in numba.prange(n): s += i
    return s
emit([total(1000), spread(1000), any(f.endswith('.nbi') for _, _, fs in
      os.walk(os.environ['NUMBA_CACHE_DIR']) for f in fs)])
";
    gives(
        source,
        &["wall=120s", "cpu=120s"],
        "[332833500,499500,true]",
    );
}

#[test]
fn scipy_and_scikit_learn_fit() {
    let source = "\
import numpy as np
from scipy import optimize, stats
from sklearn.linear_model import LinearRegression
x = np.arange(20.0).reshape(-1, 1)
model = LinearRegression().fit(x, 3 * x[:, 0] + 1)
root = optimize.brentq(lambda v: v ** 2 - 2, 0, 2)
emit([round(float(model.coef_[0]), 6), round(float(model.intercept_), 6), round(root, 6),
      round(float(stats.norm.cdf(0)), 6)])
";
    gives(source, &["wall=60s"], "[3.0,1.0,1.414214,0.5]");
}

#[test]
fn scikit_learn_works_in_parallel() {
    let source = "\
from joblib import Parallel, delayed
def square(n): return n * n
if __name__ == '__main__':
    emit(Parallel(n_jobs=2)(delayed(square)(n) for n in range(4)))
";
    gives(source, &["wall=120s", "cpus=2"], "[0,1,4,9]");
}

#[test]
fn opencv_and_pillow_read_each_other() {
    let source = "\
import cv2, numpy as np
from PIL import Image
picture = np.zeros((8, 6, 3), np.uint8); picture[:] = (255, 0, 0)
cv2.imwrite('/work/a.png', picture)
with Image.open('/work/a.png') as image: emit([image.size, image.getpixel((0, 0))])
";
    gives(source, &[], "[[6,8],[0,0,255]]");
}

#[test]
fn the_example_gives_its_forecast() {
    let source = include_str!("../../../../examples/forecast.py");
    let sales = include_str!("../../../../examples/sales.csv");
    let job = stockade::Submission::python(source)
        .file("sales.csv", sales)
        .unwrap();
    for (way, record) in crate::start::both(&job, &crate::start::policy(&[])) {
        let value = record.outcome.value().map(|value| value.tree().clone());
        let value = value.unwrap_or_else(|| panic!("{way}: {}", record.to_json()));
        assert_eq!(
            value["months"].as_array().map(Vec::len),
            Some(3),
            "{way}: {value}"
        );
        assert_eq!(record.stderr.text(), "", "{way}");
    }
}
