//! A Python extension module with one function, over the stable ABI of CPython 3.9 and later.
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
struct Object(c_void);

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

unsafe extern "C" {
    static PyExc_OSError: *mut Object;
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

/// What the module's function does with the number that it is called with: bytes to return, or the
/// text of an `OSError`.
pub type Function = fn(&Interpreter, i64) -> Result<Vec<u8>, String>;

static FUNCTION: OnceLock<Function> = OnceLock::new();

/// Makes the module: `serve(number) -> bytes`, and `keep(object)`, which makes an object live for
/// as long as the process. For [`crate::python_module`]; null with an exception set on failure.
#[must_use]
pub fn module(name: &'static CStr, function: Function) -> *mut c_void {
    FUNCTION.get_or_init(|| function);
    let methods = Box::new([
        MethodDef {
            name: c"serve".as_ptr(),
            function: Some(serve),
            flags: METH_O,
            doc: ptr::null(),
        },
        MethodDef {
            name: c"keep".as_ptr(),
            function: Some(keep),
            flags: METH_O,
            doc: ptr::null(),
        },
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

extern "C" fn serve(_: *mut Object, argument: *mut Object) -> *mut Object {
    // SAFETY: a method gets its argument as a live object, with the interpreter's lock held.
    let number = unsafe { PyLong_AsLong(argument) };
    // SAFETY: asks for this thread's pending exception, with the lock held.
    if number == -1 && !unsafe { PyErr_Occurred() }.is_null() {
        return ptr::null_mut();
    }
    let Some(function) = FUNCTION.get() else {
        return fail("the module has no function");
    };
    match function(&Interpreter(PhantomData), number) {
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

/// Makes the library that it is used in an extension module: `$init` is `PyInit_` and the module's
/// name, `$name` that name.
#[macro_export]
macro_rules! python_module {
    ($init:ident, $name:literal, $function:path) => {
        /// Called by the interpreter when it imports the module.
        #[unsafe(no_mangle)]
        pub extern "C" fn $init() -> *mut ::core::ffi::c_void {
            $crate::python::module($name, $function)
        }
    };
}
