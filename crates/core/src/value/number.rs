//! Number literals: kept digit for digit, or refused.

use serde_json::Number;

/// Digits that one number may have at most, all parts together. `CPython` reads no longer integer
/// either (`sys.get_int_max_str_digits`), because turning digits into a number costs their square.
pub const NUMBER_DIGITS_MAX: usize = 4_300;

/// What stands where a number should.
#[derive(Debug, PartialEq)]
pub(super) enum Literal {
    /// A number, and where it ends.
    Number(Number, usize),
    /// A number by its grammar that may not be taken, and where it ends.
    Refused(String, usize),
    /// NaN or an infinity after a sign, and where it ends.
    NotFinite(usize),
    /// Not a number, and where that shows.
    Malformed(&'static str, usize),
}

/// Reads the number that starts at byte `at`, with a digit or a minus sign.
pub(super) fn literal(text: &str, at: usize) -> Literal {
    let bytes = text.as_bytes();
    let mut end = at;
    let mut digits = 0;
    if bytes.get(end) == Some(&b'-') {
        end += 1;
    }
    let word_end = end + word(bytes, end);
    if text.get(end..word_end).is_some_and(is_not_finite) {
        return Literal::NotFinite(word_end);
    }
    let whole = run_of_digits(bytes, end);
    if whole == 0 {
        return Literal::Malformed("a minus sign needs a digit after it", end);
    }
    if whole > 1 && bytes.get(end) == Some(&b'0') {
        return Literal::Malformed("a number may not start with a zero", end);
    }
    digits += whole;
    end += whole;
    let mut is_float = false;
    if bytes.get(end) == Some(&b'.') {
        is_float = true;
        let run = run_of_digits(bytes, end + 1);
        if run == 0 {
            return Literal::Malformed("a decimal point needs a digit after it", end + 1);
        }
        digits += run;
        end += 1 + run;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        is_float = true;
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let run = run_of_digits(bytes, end + 1 + sign);
        if run == 0 {
            return Literal::Malformed("an exponent needs a digit", end + 1 + sign);
        }
        digits += run;
        end += 1 + sign + run;
    }
    judge(text.get(at..end).unwrap_or_default(), digits, is_float, end)
}

fn judge(written: &str, digits: usize, is_float: bool, end: usize) -> Literal {
    if digits > NUMBER_DIGITS_MAX {
        let message = format!(
            "a number of {digits} digits; at most {NUMBER_DIGITS_MAX} are read, as in CPython \
             (`sys.get_int_max_str_digits`); write it as a string"
        );
        return Literal::Refused(message, end);
    }
    // An integer has no size limit but its digits; a float that overflows would become infinite.
    if is_float && !written.parse::<f64>().is_ok_and(f64::is_finite) {
        let message = "a number too large for a 64-bit float; write it as an integer or a string";
        return Literal::Refused(message.to_owned(), end);
    }
    match written.parse::<Number>() {
        Ok(number) => Literal::Number(number, end),
        Err(error) => Literal::Refused(format!("a number that cannot be read: {error}"), end),
    }
}

/// Whether a word is what some writer prints for NaN or an infinity.
pub(super) fn is_not_finite(word: &str) -> bool {
    ["nan", "inf", "infinity"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

/// How many ASCII letters and underscores stand at byte `at`.
pub(super) fn word(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, |byte| {
        byte.is_ascii_alphabetic() || *byte == b'_'
    })
}

fn run_of_digits(bytes: &[u8], at: usize) -> usize {
    run(bytes, at, u8::is_ascii_digit)
}

fn run(bytes: &[u8], at: usize, wanted: impl Fn(&u8) -> bool) -> usize {
    bytes
        .get(at..)
        .unwrap_or_default()
        .iter()
        .take_while(|byte| wanted(byte))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_its_digits() {
        for written in [
            "0",
            "-0",
            "-0.0",
            "1.0",
            "1e+05",
            "1e-999",
            "0.10",
            "0e+999999999999",
            "1180591620717411303424",
            "9007199254740993",
        ] {
            match literal(written, 0) {
                Literal::Number(number, end) => {
                    assert_eq!((number.as_str(), end), (written, written.len()));
                }
                Literal::Refused(..) | Literal::NotFinite(_) | Literal::Malformed(..) => {
                    panic!("{written} was not taken")
                }
            }
        }
    }

    #[test]
    fn what_is_not_in_the_grammar_is_malformed() {
        for written in ["-", "-a", "01", "-01", "1.", "1.e5", "1e", "1e+", "-.5"] {
            assert!(
                matches!(literal(written, 0), Literal::Malformed(..)),
                "{written}"
            );
        }
    }

    #[test]
    fn an_integer_of_any_size_is_taken_up_to_the_limit_of_digits() {
        assert!(matches!(
            literal(&"9".repeat(NUMBER_DIGITS_MAX), 0),
            Literal::Number(..)
        ));
        assert!(matches!(
            literal(&"9".repeat(NUMBER_DIGITS_MAX + 1), 0),
            Literal::Refused(..)
        ));
    }

    #[test]
    fn a_float_that_overflows_is_refused() {
        for written in ["1e999", "-1e309", "1.8e308", "1e99999999999999999999"] {
            assert!(
                matches!(literal(written, 0), Literal::Refused(..)),
                "{written}"
            );
        }
    }

    #[test]
    fn a_signed_infinity_is_named() {
        for written in ["-Infinity", "-inf", "-NaN"] {
            assert_eq!(literal(written, 0), Literal::NotFinite(written.len()));
        }
    }
}
