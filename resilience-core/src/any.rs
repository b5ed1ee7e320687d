use std::any::Any;

/// Every `'static` type, as [`Any`]: what trait objects are cast back through.
pub trait AsAny: Any {
    /// Itself.
    fn as_any(&self) -> &dyn Any;
}

impl<T: Any> AsAny for T {
    fn as_any(&self) -> &dyn Any {
        self
    }
}
