//! The way in: compile a formula once, evaluate it as often as wanted.

use std::sync::Arc;

use crate::bound::{Bounds, Budget};
use crate::compile;
use crate::direct::Direct;
use crate::error::{Code, Fault, FormulaError};
use crate::eval::Machine;
use crate::kind::Type;
use crate::parse;
use crate::program::Program;
use crate::signature::Signature;
use crate::value::Value;

/// Version of the language. Value and cost are a function of source, inputs and this.
pub const LANGUAGE_VERSION: u32 = 1;

/// The entrance.
#[derive(Debug)]
pub struct Formula;

/// A formula that is in the language and fits its signature.
///
/// Holding one proves that it ends within its bound for any inputs of the signature; not that it
/// gives a value for them.
#[derive(Debug)]
pub struct Compiled {
    source: Arc<str>,
    program: Program,
    inputs: Arc<Vec<(Arc<str>, Type)>>,
    used: Vec<bool>,
    /// So many of the first inputs hold all that are used.
    needed: usize,
    kind: Type,
    cost_max: Option<u64>,
    depth: usize,
}

/// Inputs in the order of a formula's names.
///
/// Holding one made by [`Compiled::inputs`] proves that each value is what the signature says, all
/// the way down.
#[derive(Clone, Debug, Default)]
pub struct Inputs(Vec<Value>);

impl Inputs {
    /// None yet, for [`Compiled::push`].
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Drops the values and keeps the room, for [`Compiled::push`].
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// What an evaluation gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated {
    /// The value.
    pub value: Value,
    /// Cost units used.
    pub cost: u64,
    /// Bytes built, those given up again included.
    pub built: u64,
}

impl Formula {
    /// Compiles `source` for `signature`, within the usual [`Bounds`].
    ///
    /// # Errors
    /// One of the families source, language or types, with the place.
    ///
    /// ```
    /// use stockade_formula::{Budget, Formula, Signature, Value};
    ///
    /// let signature = Signature::parse("price: float, qty: int")?;
    /// let formula = Formula::compile("price * qty > 100", &signature)?;
    /// let inputs = formula.inputs([("price", Value::Float(19.5)), ("qty", Value::Int(6))])?;
    /// assert_eq!(formula.eval(&inputs, Budget::default())?.value, Value::Bool(true));
    ///
    /// let error = Formula::compile("price.real", &signature).unwrap_err();
    /// assert_eq!(error.code().slug(), "language-attribute");
    /// # Ok::<(), stockade_formula::FormulaError>(())
    /// ```
    pub fn compile(source: &str, signature: &Signature) -> Result<Compiled, FormulaError> {
        Self::compile_within(source, signature, &Bounds::default())
    }

    /// The same for bytes, which must be UTF-8.
    ///
    /// # Errors
    /// As [`Formula::compile`], and `source-not-utf8`.
    pub fn compile_bytes(source: &[u8], signature: &Signature) -> Result<Compiled, FormulaError> {
        match std::str::from_utf8(source) {
            Ok(source) => Self::compile(source, signature),
            Err(error) => {
                let at = error.valid_up_to();
                let fault = Fault::new(Code::NotUtf8, format!("byte {at} is not UTF-8"))
                    .hint("save the formula as UTF-8");
                Err(FormulaError::locate(fault, "", 0))
            }
        }
    }

    /// The same within other bounds.
    ///
    /// # Errors
    /// As [`Formula::compile`].
    pub fn compile_within(
        source: &str,
        signature: &Signature,
        bounds: &Bounds,
    ) -> Result<Compiled, FormulaError> {
        let located = |fault| FormulaError::locate(fault, source, 0);
        let tree = parse::parse(source, bounds).map_err(located)?;
        let output = compile::compile(&tree, signature).map_err(located)?;
        Ok(Compiled {
            source: Arc::from(source),
            depth: tree.depth,
            program: output.program,
            inputs: output.inputs,
            needed: output
                .used
                .iter()
                .rposition(|used| *used)
                .map_or(0, |at| at + 1),
            used: output.used,
            kind: output.kind,
            cost_max: output.cost,
        })
    }
}

impl Compiled {
    /// The source.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What is known of the value.
    #[must_use]
    pub fn kind(&self) -> &Type {
        &self.kind
    }

    /// Most cost units that an evaluation can take, where the signature declares the sizes.
    #[must_use]
    pub fn cost_max(&self) -> Option<u64> {
        self.cost_max
    }

    /// How deep it is nested.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// How many nodes the program has.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.program.nodes.len()
    }

    /// Its inputs in the order of [`Inputs`]: name, type, and whether it uses them.
    #[must_use]
    pub fn names(&self) -> impl ExactSizeIterator<Item = (&str, &Type, bool)> {
        let used = |at: usize| self.used.get(at).copied().unwrap_or(false);
        self.inputs
            .iter()
            .enumerate()
            .map(move |(at, (name, kind))| (&**name, kind, used(at)))
    }

    /// Inputs from pairs of name and value. Names that the formula does not use may be left out.
    ///
    /// # Errors
    /// `eval-missing-input`, `types-input`.
    pub fn inputs<N: AsRef<str>>(
        &self,
        pairs: impl IntoIterator<Item = (N, Value)>,
    ) -> Result<Inputs, FormulaError> {
        let mut slots: Vec<Option<Value>> = vec![None; self.inputs.len()];
        for (name, value) in pairs {
            let at = self
                .inputs
                .iter()
                .position(|(input, _)| **input == *name.as_ref());
            if let Some(at) = at {
                slots[at] = Some(value);
            }
        }
        self.check(slots)
    }

    /// Inputs from values in the order of [`Compiled::names`].
    ///
    /// # Errors
    /// As [`Compiled::inputs`].
    pub fn check(&self, slots: Vec<Option<Value>>) -> Result<Inputs, FormulaError> {
        let mut inputs = Inputs(Vec::with_capacity(self.inputs.len()));
        let slots = slots.into_iter().chain(std::iter::repeat(None));
        for slot in slots.take(self.inputs.len()) {
            self.push(&mut inputs, slot)?;
        }
        Ok(inputs)
    }

    /// Adds the next input, in the order of [`Compiled::names`]. What the formula does not use may
    /// be `None`, and left out after the last that it uses.
    ///
    /// # Errors
    /// As [`Compiled::inputs`].
    #[inline]
    pub fn push(&self, inputs: &mut Inputs, value: Option<Value>) -> Result<(), FormulaError> {
        let at = inputs.0.len();
        let (Some((_, kind)), Some(used)) = (self.inputs.get(at), self.used.get(at)) else {
            let fault = Fault::new(Code::Input, "the formula has no more inputs");
            return Err(FormulaError::locate(fault, &self.source, 0));
        };
        let value = match value {
            Some(value) => value,
            None if !used || kind.present() != kind => Value::Null,
            None => return Err(self.missing(at)),
        };
        // Without the name, which is needed for the message alone.
        if *used && !kind.fits(&value) {
            return self.check_named(at, &value);
        }
        inputs.0.push(value);
        Ok(())
    }

    /// Adds a float as the next input, where that is all there is to do: it is finite, and the
    /// formula takes one there. Else nothing is added, and [`Compiled::push`] says why.
    #[inline]
    #[must_use]
    pub fn push_float(&self, inputs: &mut Inputs, value: f64) -> bool {
        let plain = match self.inputs.get(inputs.0.len()) {
            Some((_, kind)) => matches!(kind, Type::Float | Type::Any) && value.is_finite(),
            None => false,
        };
        if plain {
            inputs.0.push(Value::Float(value));
        }
        plain
    }

    #[cold]
    fn missing(&self, at: usize) -> FormulaError {
        let name = &self.inputs[at].0;
        let fault = Fault::new(Code::MissingInput, format!("input `{name}` is not given"))
            .hint(format!("give `{name}`"));
        FormulaError::locate(fault, &self.source, 0)
    }

    #[cold]
    fn check_named(&self, at: usize, value: &Value) -> Result<(), FormulaError> {
        let (name, kind) = &self.inputs[at];
        kind.check(value, &mut name.to_string())
            .map_err(|fault| FormulaError::locate(fault, &self.source, 0))
    }

    /// The value for `inputs`, which are of this formula or of one with the same signature.
    ///
    /// # Errors
    /// One of the families evaluation or budget, with the place and the cost so far.
    pub fn eval(&self, inputs: &Inputs, budget: Budget) -> Result<Evaluated, FormulaError> {
        if inputs.0.len() < self.needed {
            return Err(self.other_inputs());
        }
        let machine = Machine::new(&self.program, &inputs.0, budget);
        match machine.run() {
            Ok(value) => Ok(Evaluated {
                value: value.into_value(),
                cost: machine.cost(),
                built: machine.built(),
            }),
            Err(fault) => Err(FormulaError::locate(fault, &self.source, machine.cost())),
        }
    }

    /// The same for who looks at the value and its cost units, and keeps neither.
    ///
    /// # Errors
    /// As [`Compiled::eval`].
    #[inline]
    pub fn eval_with<T>(
        &self,
        inputs: &Inputs,
        budget: Budget,
        look: impl FnOnce(&Value, u64) -> T,
    ) -> Result<T, FormulaError> {
        if inputs.0.len() < self.needed {
            return Err(self.other_inputs());
        }
        let machine = Machine::new(&self.program, &inputs.0, budget);
        machine
            .run_with(look)
            .map_err(|fault| FormulaError::locate(fault, &self.source, machine.cost()))
    }

    #[cold]
    fn other_inputs(&self) -> FormulaError {
        let fault = Fault::new(
            Code::MissingInput,
            "the inputs are those of another formula",
        );
        FormulaError::locate(fault, &self.source, 0)
    }

    /// How the formula is evaluated over a few scalars, where that is possible.
    #[must_use]
    pub fn direct(&self) -> Option<Direct> {
        Direct::new(&self.program, &self.inputs)
    }

    /// What a machine is made of.
    #[cfg(test)]
    pub(crate) fn parts<'f>(&'f self, inputs: &'f Inputs) -> (&'f Program, &'f [Value]) {
        (&self.program, &inputs.0)
    }
}
