//! Functions of dates, moments and durations.

use super::Function;
use crate::error::{Code, Fallible, Fault};
use crate::eval::Machine;
use crate::value::{Date, DateTime, Duration, Value};

pub(super) fn call(function: Function, m: &Machine<'_>, arguments: &[&Value]) -> Fallible<Value> {
    let [first, ..] = arguments else {
        return Ok(Value::Null);
    };
    if let (Function::Date | Function::DateTime | Function::Duration, Value::Str(text)) =
        (function, first)
        && arguments.len() == 1
    {
        m.scan(text.len())?;
        return match function {
            Function::Date => Date::parse(text).map(Value::Date),
            Function::DateTime => DateTime::parse(text).map(Value::DateTime),
            _ => Duration::parse(text).map(Value::Duration),
        };
    }
    match (function, *first) {
        (Function::Date, Value::DateTime(moment)) if arguments.len() == 1 => {
            Ok(Value::Date(moment.date()))
        }
        (Function::Date, Value::Date(_)) | (Function::DateTime, Value::DateTime(_))
            if arguments.len() == 1 =>
        {
            Ok((*first).clone())
        }
        (Function::Date | Function::DateTime, _) => calendar(function, arguments),
        (Function::Duration, _) => {
            let [days, hours, minutes, seconds, ..] = ints(function, arguments)?;
            Duration::from_parts(days, hours, minutes, seconds).map(Value::Duration)
        }
        (Function::Days, Value::Int(days)) => {
            Duration::from_parts(*days, 0, 0, 0).map(Value::Duration)
        }
        (Function::Days, Value::Duration(duration)) => Ok(Value::Int(duration.days())),
        (_, Value::Date(date)) => of_date(function, *date)
            .map(Value::Int)
            .ok_or_else(|| function.unfit(0, first)),
        (Function::Hour, Value::DateTime(moment)) => Ok(Value::Int(moment.time().0)),
        (Function::Minute, Value::DateTime(moment)) => Ok(Value::Int(moment.time().1)),
        (_, Value::DateTime(moment)) => of_date(function, moment.date())
            .map(Value::Int)
            .ok_or_else(|| function.unfit(0, first)),
        _ => Err(function.unfit(0, first)),
    }
}

fn of_date(function: Function, date: Date) -> Option<i64> {
    let (year, month, day) = date.parts();
    match function {
        Function::Year => Some(year),
        Function::Month => Some(month),
        Function::Day => Some(day),
        Function::Weekday => Some(date.weekday()),
        _ => None,
    }
}

fn ints(function: Function, arguments: &[&Value]) -> Fallible<[i64; 6]> {
    let mut ints = [0; 6];
    for (index, (slot, value)) in ints.iter_mut().zip(arguments).enumerate() {
        match value {
            Value::Int(value) => *slot = *value,
            other => return Err(function.unfit(index, other)),
        }
    }
    Ok(ints)
}

fn calendar(function: Function, arguments: &[&Value]) -> Fallible<Value> {
    let [year, month, day, hour, minute, second] = ints(function, arguments)?;
    if arguments.len() < 3 {
        let name = function.name();
        return Err(Fault::new(
            Code::ArgumentMet,
            format!("`{name}` takes year, month and day"),
        )
        .hint(format!("as in `{name}(2024, 2, 29)`")));
    }
    let date = Date::new(year, month, day)?;
    match function {
        Function::Date => Ok(Value::Date(date)),
        _ => DateTime::new(date, [hour, minute, second], 0).map(Value::DateTime),
    }
}
