//! Rules about Rust, read from its syntax tree: a string or a comment is never taken for code.

use super::Finding;
use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

const FUNCTION_LINES_MAX: usize = 70;
/// The one place that reads a clock.
const CLOCK: &str = "crates/sys/src/clock.rs";
/// The crate that is allowed `unsafe`, and that starts programs for the others.
const SYS: &str = "crates/sys/";
/// A script, as every `build.rs` is: it starts programs and reads clocks as it likes.
const SCRIPT: &str = "xtask/";
const CLOCKS: [&str; 2] = ["SystemTime", "Instant"];

/// The rules for the Rust file at `path`, relative to the top of the workspace.
pub(super) fn check(path: &str, content: &str) -> Vec<Finding> {
    let file = match syn::parse_file(content) {
        Ok(file) => file,
        Err(error) => {
            let line = error.span().start().line;
            let message = format!("not Rust: {error}");
            return vec![Finding {
                path: path.to_owned(),
                line,
                message,
            }];
        }
    };
    let mut reader = Reader {
        path,
        test: is_test_file(path),
        findings: Vec::new(),
    };
    let root = ["/src/lib.rs", "/src/main.rs"]
        .iter()
        .any(|end| path.ends_with(end))
        || path.contains("/src/bin/");
    if root && !path.starts_with(SYS) && !content.contains("#![forbid(unsafe_code)]") {
        reader.add(
            1,
            "a crate begins with `#![forbid(unsafe_code)]`".to_owned(),
        );
    }
    reader.visit_file(&file);
    reader.findings
}

fn is_test_file(path: &str) -> bool {
    let inside = ["/tests/", "/benches/"]
        .iter()
        .any(|part| path.contains(part));
    inside || path.ends_with("/tests.rs") || path.starts_with("fuzz/")
}

struct Reader<'a> {
    path: &'a str,
    /// Whether what is read now is compiled for tests only.
    test: bool,
    findings: Vec<Finding>,
}

impl Reader<'_> {
    fn add(&mut self, line: usize, message: String) {
        self.findings.push(Finding {
            path: self.path.to_owned(),
            line,
            message,
        });
    }

    fn within(&mut self, attributes: &[syn::Attribute], go_on: impl FnOnce(&mut Self)) {
        let before = self.test;
        self.test |= attributes.iter().any(marks_test);
        go_on(self);
        self.test = before;
    }

    fn function(&mut self, whole: &impl Spanned, signature: &syn::Signature) {
        let span = whole.span();
        let start = signature.fn_token.span.start().line;
        let lines = span.end().line.saturating_sub(start) + 1;
        if lines > FUNCTION_LINES_MAX {
            let name = &signature.ident;
            let message = format!("`{name}` has {lines} lines; at most {FUNCTION_LINES_MAX}");
            self.add(start, message);
        }
        if let Some(token) = &signature.unsafety {
            self.no_unsafe(token.span.start().line);
        }
    }

    fn no_unsafe(&mut self, line: usize) {
        if !self.path.starts_with(SYS) {
            self.add(line, "`unsafe` lives in `crates/sys` alone".to_owned());
        }
    }

    fn method(&mut self, name: &syn::Ident, on_text: bool) {
        if self.test {
            return;
        }
        if name == "unwrap" || (name == "expect" && on_text) {
            let line = name.span().start().line;
            self.add(line, format!("`{name}` outside a test; return the error"));
        }
    }

    fn path(&mut self, names: &[String], line: usize) {
        let script = self.test || self.path.starts_with(SCRIPT) || self.path.ends_with("/build.rs");
        let has = |owners: &[&str], name: &str| {
            names
                .windows(2)
                .any(|pair| owners.contains(&&*pair[0]) && pair[1] == name)
        };
        if has(&["process"], "Command") && !script && !self.path.starts_with(SYS) {
            self.add(line, "only `crates/sys` starts programs".to_owned());
        }
        let clock = has(&CLOCKS, "now") || names.last().is_some_and(|name| name == "clock_gettime");
        if clock && !script && self.path != CLOCK {
            self.add(line, format!("only `{CLOCK}` reads a clock"));
        }
    }

    fn uses(&mut self, tree: &syn::UseTree, before: &[String]) {
        match tree {
            syn::UseTree::Path(path) => {
                let names = [before, &[path.ident.to_string()]].concat();
                self.uses(&path.tree, &names);
            }
            syn::UseTree::Name(syn::UseName { ident })
            | syn::UseTree::Rename(syn::UseRename { ident, .. }) => {
                let names = [before, &[ident.to_string()]].concat();
                self.path(&names, ident.span().start().line);
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.uses(tree, before);
                }
            }
            syn::UseTree::Glob(_) => {}
        }
    }

    /// The inside of a macro call is tokens; the same words are looked for.
    fn tokens(&mut self, stream: TokenStream) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        for (index, tree) in trees.iter().enumerate() {
            if let TokenTree::Group(group) = tree {
                self.tokens(group.stream());
            }
            let TokenTree::Ident(name) = tree else {
                continue;
            };
            let after_dot = index > 0
                && matches!(&trees[index - 1], TokenTree::Punct(dot) if dot.as_char() == '.');
            if after_dot {
                let text = matches!(trees.get(index + 1), Some(TokenTree::Group(group))
                    if group.stream().to_string().starts_with('"'));
                self.method(name, text);
            }
            if name == "unsafe" {
                self.no_unsafe(name.span().start().line);
            }
        }
    }
}

fn marks_test(attribute: &syn::Attribute) -> bool {
    let name = attribute.path();
    if name
        .segments
        .last()
        .is_some_and(|last| last.ident == "test")
    {
        return true;
    }
    let syn::Meta::List(list) = &attribute.meta else {
        return false;
    };
    // `cfg(test)`, and `cfg(all(test, …))`; `cfg(not(test))` is the opposite.
    let words = list.tokens.to_string();
    name.is_ident("cfg")
        && !words.contains("not")
        && words.split(&['(', ' ', ',', ')']).any(|w| w == "test")
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.within(&item.attrs, |reader| visit::visit_item_mod(reader, item));
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.within(&item.attrs, |reader| {
            reader.function(item, &item.sig);
            visit::visit_item_fn(reader, item);
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.within(&item.attrs, |reader| {
            reader.function(item, &item.sig);
            visit::visit_impl_item_fn(reader, item);
        });
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.within(&item.attrs, |reader| {
            if let Some(token) = &item.unsafety {
                reader.no_unsafe(token.span.start().line);
            }
            visit::visit_item_impl(reader, item);
        });
    }

    fn visit_item_foreign_mod(&mut self, item: &'ast syn::ItemForeignMod) {
        self.no_unsafe(item.abi.extern_token.span.start().line);
        visit::visit_item_foreign_mod(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.within(&item.attrs, |reader| reader.uses(&item.tree, &[]));
    }

    fn visit_expr_unsafe(&mut self, item: &'ast syn::ExprUnsafe) {
        self.no_unsafe(item.unsafe_token.span.start().line);
        visit::visit_expr_unsafe(self, item);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let text = match call.args.first() {
            Some(syn::Expr::Lit(literal)) => matches!(literal.lit, syn::Lit::Str(_)),
            Some(_) | None => false,
        };
        self.method(&call.method, text);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path
            .segments
            .iter()
            .map(|one| one.ident.to_string())
            .collect();
        self.path(&names, path.span().start().line);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        for unfinished in ["todo", "unimplemented", "dbg"] {
            if call.path.is_ident(unfinished) {
                let line = call.path.span().start().line;
                self.add(line, format!("`{unfinished}!` is not finished"));
            }
        }
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let syn::Meta::Path(path) = &attribute.meta
            && path.is_ident("ignore")
        {
            let line = path.span().start().line;
            self.add(
                line,
                "a test that is skipped says why: `#[ignore = \"…\"]`".to_owned(),
            );
        }
    }
}
