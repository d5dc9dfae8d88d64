//! A Python extension module with one function, over the stable ABI of `CPython` 3.9 and later.
//!
//! The symbols are the interpreter's own, resolved when it loads the module; nothing else can link
//! this, which is why it is behind a feature.

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::sync::OnceLock;

/// `PYTHON_ABI_VERSION`: the stable ABI's own.
const ABI_VERSION: c_int = 3;
/// `METH_O`: called with one argument.
const METH_O: c_int = 8;

/// `PyObject`, looked at by the interpreter alone.
#[repr(C)]
struct Object {
    _references: isize,
    _kind: *mut c_void,
}

#[repr(C)]
struct MethodDef {
    name: *const c_char,
    function: Option<extern "C" fn(*mut Object, *mut Object) -> *mut Object>,
    flags: c_int,
    doc: *const c_char,
}

/// `PyModuleDef`, with the head of an object in front (`PyModuleDef_HEAD_INIT`).
#[repr(C)]
struct ModuleDef {
    references: isize,
    kind: *mut c_void,
    init: *const c_void,
    index: isize,
    copy: *mut c_void,
    name: *const c_char,
    doc: *const c_char,
    size: isize,
    methods: *const MethodDef,
    slots: *const c_void,
    traverse: *const c_void,
    clear: *const c_void,
    free: *const c_void,
}

/// `PyObjectArenaAllocator`.
#[repr(C)]
struct ArenaAllocator {
    context: *mut c_void,
    allocate: extern "C" fn(*mut c_void, usize) -> *mut c_void,
    free: extern "C" fn(*mut c_void, *mut c_void, usize),
}

unsafe extern "C" {
    fn PyObject_SetArenaAllocator(allocator: *const ArenaAllocator);
    static PyExc_OSError: *mut Object;
    static PyExc_SystemExit: *mut Object;
    static _Py_NoneStruct: Object;
    fn PyErr_Clear();
    fn PyEval_GetFrame() -> *mut Object;
    fn PyLong_FromLong(number: c_long) -> *mut Object;
    fn PyObject_GenericGetAttr(object: *mut Object, name: *mut Object) -> *mut Object;
    fn PyObject_Type(object: *mut Object) -> *mut Object;
    fn PyType_GetFlags(kind: *mut Object) -> u64;
    fn PyUnicode_CompareWithASCIIString(text: *mut Object, other: *const c_char) -> c_int;
    fn PyModule_Create2(definition: *mut ModuleDef, version: c_int) -> *mut Object;
    fn PyLong_AsLong(object: *mut Object) -> c_long;
    fn PyErr_Occurred() -> *mut Object;
    fn PyErr_SetString(kind: *mut Object, message: *const c_char);
    fn PyBytes_FromStringAndSize(bytes: *const c_char, size: isize) -> *mut Object;
    fn Py_IncRef(object: *mut Object);
    fn PyOS_BeforeFork();
    fn PyOS_AfterFork_Parent();
    fn PyOS_AfterFork_Child();
}

/// The interpreter that has called, whose lock this thread holds meanwhile.
#[derive(Debug)]
pub struct Interpreter(PhantomData<*mut ()>);

impl Interpreter {
    /// Runs what modules registered to happen before a fork.
    pub fn before_fork(&self) {
        // SAFETY: this thread holds the interpreter's lock, which is all that this one asks for.
        unsafe { PyOS_BeforeFork() }
    }

    /// Runs what modules registered to happen after a fork in the parent.
    pub fn after_fork_in_parent(&self) {
        // SAFETY: this thread holds the interpreter's lock and has called `before_fork`.
        unsafe { PyOS_AfterFork_Parent() }
    }

    /// Makes the interpreter's state that of a new process with one thread, and runs what modules
    /// registered to happen after a fork in the child.
    pub fn after_fork_in_child(&self) {
        // SAFETY: this is the only thread of the child, a copy of the one that held the lock.
        unsafe { PyOS_AfterFork_Child() }
    }
}

/// What `serve` does with the number that it is called with, or the text of an `OSError`.
pub type Serve = fn(&Interpreter, i64) -> Result<(), String>;

/// What `begin` does, and the bytes that it returns.
pub type Begin = fn(&Interpreter, i64) -> Result<Vec<u8>, String>;

static FUNCTIONS: OnceLock<(Serve, Begin)> = OnceLock::new();

/// Makes the module: `serve(number)`, `begin(number) -> bytes`; `keep(object)`, which makes an
/// object live for as long as the process; `align(number)`, which has the interpreter take its
/// memory where huge pages fit; `watch_exit(number)` and `exit_code(number)`, see
/// [`exit`]. For [`crate::python_module`]; null with an exception set on failure.
#[must_use]
pub fn module(name: &'static CStr, serving: Serve, beginning: Begin) -> *mut c_void {
    FUNCTIONS.get_or_init(|| (serving, beginning));
    let method = |name: &'static CStr, function| MethodDef {
        name: name.as_ptr(),
        function: Some(function),
        flags: METH_O,
        doc: ptr::null(),
    };
    let methods = Box::new([
        method(c"serve", serve),
        method(c"begin", begin),
        method(c"align", align),
        method(c"keep", keep),
        method(c"watch_exit", exit::watch),
        method(c"exit_code", exit::code),
        MethodDef {
            name: ptr::null(),
            function: None,
            flags: 0,
            doc: ptr::null(),
        },
    ]);
    let definition = Box::new(ModuleDef {
        references: 1,
        kind: ptr::null_mut(),
        init: ptr::null(),
        index: 0,
        copy: ptr::null_mut(),
        name: name.as_ptr(),
        doc: ptr::null(),
        size: -1,
        methods: Box::leak(methods).as_ptr(),
        slots: ptr::null(),
        traverse: ptr::null(),
        clear: ptr::null(),
        free: ptr::null(),
    });
    // SAFETY: the interpreter calls the module's init function with its lock held; the definition
    // is laid out as the stable ABI says and, being leaked, lives as long as the interpreter.
    unsafe { PyModule_Create2(Box::leak(definition), ABI_VERSION) }.cast()
}

/// The number that a function was called with, and the module's functions; `None` with an exception
/// set.
fn called(argument: *mut Object) -> Option<(i64, (Serve, Begin))> {
    // SAFETY: a method gets its argument as a live object, with the interpreter's lock held.
    let number = unsafe { PyLong_AsLong(argument) };
    // SAFETY: asks for this thread's pending exception, with the lock held.
    if number == -1 && !unsafe { PyErr_Occurred() }.is_null() {
        return None;
    }
    Some((number, *FUNCTIONS.get()?))
}

extern "C" fn serve(_: *mut Object, argument: *mut Object) -> *mut Object {
    let Some((number, (serve, _))) = called(argument) else {
        return ptr::null_mut();
    };
    match serve(&Interpreter(PhantomData), number) {
        Ok(()) => keep(ptr::null_mut(), argument),
        Err(why) => fail(&why),
    }
}

extern "C" fn begin(_: *mut Object, argument: *mut Object) -> *mut Object {
    let Some((number, (_, begin))) = called(argument) else {
        return ptr::null_mut();
    };
    match begin(&Interpreter(PhantomData), number) {
        Ok(bytes) => match isize::try_from(bytes.len()) {
            // SAFETY: copies as many bytes as there are, with the lock held.
            Ok(size) => unsafe { PyBytes_FromStringAndSize(bytes.as_ptr().cast(), size) },
            Err(_) => fail("more bytes than an object can hold"),
        },
        Err(why) => fail(&why),
    }
}

/// Sets an `OSError` and returns what tells the interpreter so.
fn fail(why: &str) -> *mut Object {
    let text = CString::new(why.replace('\0', " ")).unwrap_or_default();
    // SAFETY: reads a pointer that the interpreter sets once, before it loads any module.
    let kind = unsafe { PyExc_OSError };
    // SAFETY: `kind` is a live exception type and `text` ends with NUL; the lock is held.
    unsafe { PyErr_SetString(kind, text.as_ptr()) };
    ptr::null_mut()
}

extern "C" fn keep(_: *mut Object, argument: *mut Object) -> *mut Object {
    // SAFETY: the argument is a live object; this reference is never given back.
    unsafe { Py_IncRef(argument) };
    // SAFETY: the second reference is the one that the caller gets.
    unsafe { Py_IncRef(argument) };
    argument
}

/// Where the interpreter's small objects live: in areas that whole huge pages fit, so that
/// [`crate::memory::collapse`] finds some.
mod arena {
    use super::{ArenaAllocator, PyObject_SetArenaAllocator};
    use crate::memory::HUGE_BYTES;
    use std::ffi::c_void;
    use std::ptr;

    /// What is left of the last area: from, to. The interpreter's lock is held whenever it is used.
    #[derive(Debug)]
    struct Area {
        next: usize,
        end: usize,
    }

    /// Lets the interpreter take its memory from here from now on.
    pub(super) fn install() {
        let area = Box::leak(Box::new(Area { next: 0, end: 0 }));
        let allocator = ArenaAllocator {
            context: ptr::from_mut(area).cast(),
            allocate,
            free,
        };
        // SAFETY: the interpreter copies the table; what it had is freed by `free` as well, which
        // is right for it: CPython maps its arenas too.
        unsafe { PyObject_SetArenaAllocator(&raw const allocator) };
    }

    extern "C" fn allocate(context: *mut c_void, size: usize) -> *mut c_void {
        // SAFETY: the context is the area that `install` has leaked, and the lock is held.
        let area = unsafe { &mut *context.cast::<Area>() };
        if area.end - area.next < size {
            let Some(start) = aligned(size) else {
                return ptr::null_mut();
            };
            // What was left of the last one stays unused: arenas are all of one size, so it is
            // none.
            *area = Area {
                next: start,
                end: start + size.next_multiple_of(HUGE_BYTES),
            };
        }
        let place = area.next;
        area.next += size;
        ptr::with_exposed_provenance_mut(place)
    }

    /// A mapping of whole huge pages.
    fn aligned(size: usize) -> Option<usize> {
        let wanted = size.checked_next_multiple_of(HUGE_BYTES)?;
        let mapped = map(wanted + HUGE_BYTES)?;
        let start = mapped.next_multiple_of(HUGE_BYTES);
        let (before, after) = (start - mapped, mapped + HUGE_BYTES - start);
        unmap(mapped, before);
        unmap(start + wanted, after);
        Some(start)
    }

    fn map(size: usize) -> Option<usize> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping where the kernel has room replaces none.
        let place = unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0) };
        (place != libc::MAP_FAILED).then(|| place.expose_provenance())
    }

    fn unmap(start: usize, size: usize) {
        if size > 0 {
            // SAFETY: the range is of a mapping made by `map` or by the interpreter for an arena,
            // and nobody uses it any more.
            unsafe { libc::munmap(ptr::with_exposed_provenance_mut(start), size) };
        }
    }

    extern "C" fn free(_: *mut c_void, place: *mut c_void, size: usize) {
        unmap(place.expose_provenance(), size);
    }
}

/// Lets the interpreter take its memory where huge pages fit; returns its argument.
extern "C" fn align(_: *mut Object, argument: *mut Object) -> *mut Object {
    arena::install();
    keep(ptr::null_mut(), argument)
}

/// The exit code of an interpreter that is ending, which nobody else can tell before its end.
///
/// For a `SystemExit` that nobody caught the interpreter asks for the exception's `code`, when no
/// Python code runs any more: the type's way of looking up attributes is replaced by one that sees
/// that. Where the type is not laid out as expected nothing is replaced, and nothing is known.
mod exit {
    use super::PyUnicode_CompareWithASCIIString;
    use super::{Object, PyEval_GetFrame, PyExc_SystemExit, PyLong_AsLong, PyLong_FromLong};
    use super::{PyErr_Clear, PyObject_GenericGetAttr, PyObject_Type, PyType_GetFlags};
    use std::ptr;
    use std::sync::atomic::{AtomicI64, Ordering};

    /// The place of `tp_getattro` in a type, in words, the same in `CPython` 3.9 to 3.14.
    const GETATTRO: usize = 18;

    /// `Py_TPFLAGS_LONG_SUBCLASS`.
    const LONG_SUBCLASS: u64 = 1 << 24;

    /// Nothing is known.
    const UNKNOWN: i64 = -1;
    /// It is being watched, and nobody has asked.
    const NONE: i64 = -2;
    /// `code` is neither `None` nor a number: the interpreter prints it and exits with 1.
    const TEXT: i64 = 1;

    static CODE: AtomicI64 = AtomicI64::new(UNKNOWN);

    type Lookup = unsafe extern "C" fn(*mut Object, *mut Object) -> *mut Object;

    /// Begins to watch; returns its argument.
    pub(super) extern "C" fn watch(_: *mut Object, argument: *mut Object) -> *mut Object {
        // SAFETY: reads a pointer that the interpreter sets once, before it loads any module.
        let kind = unsafe { PyExc_SystemExit };
        // SAFETY: a type is larger than this many words, in every version that this is for.
        let slot = unsafe { kind.cast::<Option<Lookup>>().add(GETATTRO) };
        let usual: Lookup = PyObject_GenericGetAttr;
        // SAFETY: the slot is within the type, aligned, and holds a function or null.
        let present = unsafe { slot.read() };
        if present.is_some_and(|present| ptr::fn_addr_eq(present, usual)) {
            // SAFETY: the interpreter's lock is held, so nobody looks anything up meanwhile; what
            // is put there does the same and takes a note.
            unsafe { slot.write(Some(look_up)) };
            CODE.store(NONE, Ordering::Relaxed);
        }
        super::keep(ptr::null_mut(), argument)
    }

    unsafe extern "C" fn look_up(object: *mut Object, name: *mut Object) -> *mut Object {
        // SAFETY: the arguments are those that the interpreter looked this up with.
        let found = unsafe { PyObject_GenericGetAttr(object, name) };
        // SAFETY: asks for this thread's frame, with the lock held.
        let running = !unsafe { PyEval_GetFrame() }.is_null();
        if running || found.is_null() {
            return found;
        }
        // SAFETY: the name of an attribute is a live string, and the text ends with NUL.
        if unsafe { PyUnicode_CompareWithASCIIString(name, c"code".as_ptr()) } == 0 {
            CODE.store(number(found), Ordering::Relaxed);
        }
        found
    }

    /// What the interpreter makes of a `code`.
    fn number(code: *mut Object) -> i64 {
        // SAFETY: reads a pointer to the one object of its type, which lives for ever.
        if ptr::eq(code, &raw const super::_Py_NoneStruct) {
            return 0;
        }
        // SAFETY: the object is live; its type gains a reference that the process's end takes away.
        let kind = unsafe { PyObject_Type(code) };
        // SAFETY: the type of an object is a live type.
        if unsafe { PyType_GetFlags(kind) } & LONG_SUBCLASS == 0 {
            return TEXT;
        }
        // SAFETY: the object is a number; one that is too large is an exception, taken back.
        let number = unsafe { PyLong_AsLong(code) };
        // SAFETY: takes back what was raised here, if anything was.
        unsafe { PyErr_Clear() };
        number & 0xff
    }

    /// The code that the process will exit with: -1 when that is not known, -2 when nobody has
    /// called for an exit.
    pub(super) extern "C" fn code(_: *mut Object, _: *mut Object) -> *mut Object {
        // SAFETY: makes a number, with the lock held.
        unsafe { PyLong_FromLong(CODE.load(Ordering::Relaxed)) }
    }
}

/// Makes the library that it is used in an extension module: `$init` is `PyInit_` and the module's
/// name, `$name` that name.
#[macro_export]
macro_rules! python_module {
    ($init:ident, $name:literal, $serve:path, $begin:path) => {
        /// Called by the interpreter when it imports the module.
        #[unsafe(no_mangle)]
        pub extern "C" fn $init() -> *mut ::core::ffi::c_void {
            $crate::python::module($name, $serve, $begin)
        }
    };
}
