//! A whole response body: what a stream would end with.

use super::encode::ResponsesEncoder;
use crate::json::{Raw, Tok};
use crate::stream::body::WriteBody;
use crate::stream::delta::{Counts, FaultInfo, Field};
use crate::stream::encode::{CallKey, CallOpening, Encode, Ending, Head, TextBlock, Traits};
use crate::stream::error_object::push_error_object;
use crate::stream::mirror::Mirror;
use crate::stream::options::Options;

/// Writes a response object. It is the stream's writer whose events go nowhere, so that body and stream of an
/// answer cannot differ.
#[derive(Debug)]
pub struct ResponsesBody {
    stream: ResponsesEncoder,
    events: Vec<u8>,
}

impl ResponsesBody {
    fn write(&mut self, event: impl FnOnce(&mut ResponsesEncoder, &mut Vec<u8>)) {
        event(&mut self.stream, &mut self.events);
        self.events.clear();
    }
}

impl WriteBody for ResponsesBody {
    fn new(options: &Options) -> Self {
        Self { stream: ResponsesEncoder::new(options), events: Vec::new() }
    }

    fn into_body(self) -> Vec<u8> {
        self.stream.into_terminal()
    }
}

impl Mirror for ResponsesBody {}

impl Encode for ResponsesBody {
    const TRAITS: Traits = ResponsesEncoder::TRAITS;

    fn start(&mut self, head: &Head, _: &mut Vec<u8>) {
        self.write(|stream, events| stream.start(head, events));
    }

    fn start_choice(&mut self, choice: u32, _: &mut Vec<u8>) {
        self.write(|stream, events| stream.start_choice(choice, events));
    }

    fn carries(&self, field: Field) -> bool {
        self.stream.carries(field)
    }

    fn open_part(&mut self, block: TextBlock, _: &mut Vec<u8>) {
        self.write(|stream, events| stream.open_part(block, events));
    }

    fn text(
        &mut self,
        block: TextBlock,
        text: Tok<'_>,
        log_probs: Option<Raw<'_>>,
        _: &mut Vec<u8>,
    ) {
        self.write(|stream, events| stream.text(block, text, log_probs, events));
    }

    fn close_part(&mut self, block: TextBlock, _: &mut Vec<u8>) {
        self.write(|stream, events| stream.close_part(block, events));
    }

    fn close_item(&mut self, item: u32, is_whole: bool, _: &mut Vec<u8>) {
        self.write(|stream, events| stream.close_item(item, is_whole, events));
    }

    fn annotation(&mut self, block: TextBlock, annotation: Raw<'_>, _: &mut Vec<u8>) -> bool {
        let is_placed = self.stream.annotation(block, annotation, &mut self.events);
        self.events.clear();
        is_placed
    }

    fn open_call(&mut self, call: CallOpening<'_>, _: &mut Vec<u8>) {
        self.write(|stream, events| stream.open_call(call, events));
    }

    fn call_text(&mut self, key: CallKey, text: Tok<'_>, _: &mut Vec<u8>) {
        self.write(|stream, events| stream.call_text(key, text, events));
    }

    fn close_call(&mut self, key: CallKey, is_whole: bool, _: &mut Vec<u8>) {
        self.write(|stream, events| stream.close_call(key, is_whole, events));
    }

    fn end(&mut self, ending: Ending<'_>, _: &mut Vec<u8>) {
        self.write(|stream, events| stream.end(ending, events));
    }

    fn fault(&mut self, _: &FaultInfo<'_>, _: &Counts, _: &mut Vec<u8>) {}

    fn alive(&mut self, _: &mut Vec<u8>) {}
}

/// Appends the error body.
pub(crate) fn push_error_body(out: &mut Vec<u8>, fault: &FaultInfo<'_>) {
    push_error_object(out, fault, "server_error");
}
