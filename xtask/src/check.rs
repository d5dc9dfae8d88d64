//! Stub.
pub(crate) fn generate(_: &[String]) -> Result<(), String> {
    Ok(())
}
pub(crate) fn fuzz(_: &[String]) -> Result<(), String> {
    Ok(())
}
