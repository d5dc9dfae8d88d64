//! What was measured: as text for people while it comes, as JSON at the end.

use serde_json::{Map, Value, json};

/// How far a figure may go.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bar {
    AtMost(f64),
    AtLeast(f64),
}

/// All that is said at the end.
#[derive(Debug, Default)]
pub(crate) struct Report {
    members: Map<String, Value>,
    bars: Vec<Value>,
    skipped: Vec<String>,
}

impl Report {
    /// A member of the whole.
    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.members.insert(name.to_owned(), value);
    }

    /// A member of the object `group`.
    pub(crate) fn put(&mut self, group: &str, name: &str, value: Value) {
        let group = self.members.entry(group).or_insert_with(|| json!({}));
        if let Value::Object(members) = group {
            members.insert(name.to_owned(), value);
        }
    }

    /// A number that was put before.
    pub(crate) fn number(&self, group: &str, name: &str) -> Option<f64> {
        self.members.get(group)?.get(name)?.as_f64()
    }

    /// The median of a sample that was put before.
    pub(crate) fn p50(&self, group: &str, name: &str) -> Option<u64> {
        self.members.get(group)?.get(name)?.get("p50")?.as_u64()
    }

    /// Compares a figure with what was promised. One that was not measured meets nothing.
    pub(crate) fn bar(&mut self, name: &str, value: Option<f64>, bar: Bar, unit: &str) {
        let (relation, limit) = match bar {
            Bar::AtMost(most) => ("at most", most),
            Bar::AtLeast(least) => ("at least", least),
        };
        let Some(value) = value else {
            println!("NOT MEASURED: {name}, {relation} {limit}{unit}");
            self.bars
                .push(json!({"name": name, relation.replace(' ', "_"): limit, "met": null}));
            return;
        };
        let met = match bar {
            Bar::AtMost(most) => value <= most,
            Bar::AtLeast(least) => value >= least,
        };
        let verdict = if met { "met" } else { "MISSED" };
        println!("{verdict}: {name} {value:.2}{unit}, {relation} {limit}{unit}");
        self.bars.push(json!({
            "name": name, "value": rounded(value), relation.replace(' ', "_"): limit, "met": met,
        }));
    }

    /// What could not be measured, and why.
    pub(crate) fn skip(&mut self, what: &str, why: &str) {
        eprintln!("SKIPPED: {what}: {why}");
        self.skipped.push(format!("{what}: {why}"));
    }

    /// One object.
    pub(crate) fn into_json(mut self) -> Value {
        self.members.insert("bars".to_owned(), self.bars.into());
        self.members
            .insert("skipped".to_owned(), self.skipped.into());
        Value::Object(self.members)
    }
}

/// To a thousandth, as no measurement here is better.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_met_missed_or_not_measured() {
        let mut report = Report::default();
        report.bar("low", Some(1.5), Bar::AtMost(1.5), " ms");
        report.bar("high", Some(7.9), Bar::AtLeast(8.0), "");
        report.bar("none", None, Bar::AtLeast(80.0), "");
        let json = report.into_json();
        let met: Vec<_> = (0..3).map(|index| &json["bars"][index]["met"]).collect();
        assert_eq!(met, [&json!(true), &json!(false), &Value::Null]);
        assert_eq!(json["bars"][1]["at_least"], json!(8.0));
    }

    #[test]
    fn members_of_a_group_and_what_was_skipped_are_in_the_json() {
        let mut report = Report::default();
        report.put("ratios", "bwrap_python", json!(rounded(8.123_456)));
        report.put("ratios", "bwrap_pandas", json!(80));
        report.skip("runsc", "not installed");
        let json = report.into_json();
        assert_eq!(
            json["ratios"],
            json!({"bwrap_python": 8.123, "bwrap_pandas": 80})
        );
        assert_eq!(json["skipped"], json!(["runsc: not installed"]));
    }
}
