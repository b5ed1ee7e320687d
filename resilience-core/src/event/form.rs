//! The form of events for machines: `time` in seconds on the policy's clock, `kind` of policy, `instance`, `type` of event,
//! and what it says as `payload`.

use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::{Event, Fields, OwnedEvent, Value};

impl Serialize for Event<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut form = serializer.serialize_struct("Event", 5)?;
        form.serialize_field("time", &Value::from(self.at))?;
        form.serialize_field("kind", self.policy)?;
        form.serialize_field("instance", &self.instance)?;
        form.serialize_field("type", self.payload.name())?;
        form.serialize_field("payload", &Object(&self.payload.fields()))?;
        form.end()
    }
}

impl Serialize for OwnedEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_event().serialize(serializer)
    }
}

struct Object<'a>(&'a Fields<'a>);

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => serializer.serialize_none(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(value) => serializer.serialize_u64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Rows(rows) => serializer.collect_seq(rows.iter().map(Object)),
        }
    }
}
