//! The eight formulas, as each language writes them, over the same inputs.

/// One formula.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) formula: &'static str,
    /// Or why CEL cannot say it.
    pub(crate) cel: Result<&'static str, &'static str>,
}

pub(crate) const TABLE: &[Row] = &[
    Row {
        name: "arithmetic",
        formula: "(price * qty - 5.0) * (1.0 + tax) / 2.0",
        cel: Ok("(price * qty - 5.0) * (1.0 + tax) / 2.0"),
    },
    Row {
        name: "comparison",
        formula: "0.0 < tax <= qty < price <= 100.0",
        cel: Ok("0.0 < tax && tax <= qty && qty < price && price <= 100.0"),
    },
    Row {
        name: "strings",
        formula: "name + ' (' + region + ')'",
        cel: Ok("name + ' (' + region + ')'"),
    },
    Row {
        name: "conditional",
        formula: "'big' if qty > 10.0 else 'mid' if qty > 5.0 else 'low'",
        cel: Ok("qty > 10.0 ? 'big' : qty > 5.0 ? 'mid' : 'low'"),
    },
    Row {
        name: "filter",
        formula: "[r for r in rows if r['price'] * r['qty'] > 1000.0]",
        cel: Ok("rows.filter(r, r.price * r.qty > 1000.0)"),
    },
    Row {
        name: "aggregate",
        formula: "sum(r['price'] * r['qty'] for r in rows)",
        cel: Err("CEL has neither a sum nor a fold"),
    },
    Row {
        name: "lookup",
        formula: "order['customer']['address']['city'] == 'Berlin'",
        cel: Ok("order.customer.address.city == 'Berlin'"),
    },
    Row {
        name: "dates",
        formula: "today - due > limit",
        cel: Ok("today - due > limit"),
    },
];

pub(crate) const SIGNATURE: &str = "price: float, qty: float, tax: float, name: str[64], \
    region: str[16], rows: list[{price: float, qty: float, region: str[16]}, 1000], \
    order: {customer: {name: str, address: {city: str[64], zip: str}}}, today: date, due: date, \
    limit: duration";

/// The inputs as JSON.
pub(crate) fn inputs() -> String {
    let rows: Vec<String> = (0..1000)
        .map(|n| {
            let region = ["EU", "US", "APAC"][n % 3];
            format!(
                "{{\"price\": {}.5, \"qty\": {}.0, \"region\": \"{region}\"}}",
                n % 251,
                n % 17
            )
        })
        .collect();
    format!(
        "{{\"price\": 19.5, \"qty\": 6.0, \"tax\": 0.19, \"name\": \"Ada Lovelace\", \
         \"region\": \"EU\", \"order\": {{\"customer\": {{\"name\": \"Ada\", \"address\": \
         {{\"city\": \"Berlin\", \"zip\": \"10115\"}}}}}}, \"today\": \"2024-03-31\", \
         \"due\": \"2024-01-31\", \"limit\": \"P30D\", \"rows\": [{}]}}",
        rows.join(",")
    )
}
