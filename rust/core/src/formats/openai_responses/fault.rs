//! How an answer fails (`docs/formats/openai_responses.md`, "Fault fields").

use crate::json::Raw;
use crate::stream::delta::FaultInfo;
use crate::stream::encode::Encode;
use crate::stream::error_object::{ErrorObject, push_fault, read_error};
use crate::stream::place::Place;
use crate::stream::stop::Stop;
use crate::stream::turn::{Outcome, Referee};

/// Ends the answer as failed; `error` is the response's own error object, if it has one.
pub(super) fn push_failed<E: Encode>(
    error: Option<Raw<'_>>,
    place: &Place<'_>,
    referee: &mut Referee<'_, E>,
) -> Result<(), Stop> {
    let found = match error {
        Some(error) => read_error(error, place)?,
        None => ErrorObject::default(),
    };
    if let Some(error) = error.filter(|_| found.message.is_some()) {
        return push_fault(error, true, place, referee);
    }
    let fault = FaultInfo {
        message: "the response failed",
        kind: found.kind.as_deref(),
        code: found.code.as_deref(),
        param: found.param.as_deref(),
    };
    referee.fault(&fault, Outcome::Failed);
    Ok(())
}

/// Ends the answer as cancelled.
pub(super) fn push_cancelled<E: Encode>(referee: &mut Referee<'_, E>) {
    let fault = FaultInfo {
        message: "the response was cancelled",
        code: Some("cancelled"),
        ..FaultInfo::default()
    };
    referee.fault(&fault, Outcome::Failed);
}
