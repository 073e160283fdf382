//! The place of a call in its caller's trace, in the format of W3C Trace Context.

use std::fmt;

/// The length of a `traceparent` of version 00, and of the part that later versions begin with.
const LENGTH: usize = 55;

/// A `traceparent`: `00-<trace id>-<id of the caller's span>-<flags>`, in hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// The trace, not 0.
    pub trace: TraceId,
    /// The caller's span, not 0.
    pub span: u64,
    /// Bit 0 says that the caller records the trace.
    pub flags: u8,
}

/// The id of a trace, printed as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TraceId(pub u128);

impl TraceContext {
    /// Parses the value of the header. Returns `None` if it is invalid by the recommendation.
    ///
    /// ```
    /// use loyd::telemetry::TraceContext;
    ///
    /// let header = b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    /// let context = TraceContext::read(header).expect("a trace context");
    /// assert_eq!(context.trace.to_string(), "4bf92f3577b34da6a3ce929d0e0e4736");
    /// assert_eq!(TraceContext::read(b"00-0-0-00"), None);
    /// ```
    #[must_use]
    pub fn read(header: &[u8]) -> Option<Self> {
        let (known, later) = header.split_at_checked(LENGTH)?;
        let fields: Vec<&[u8]> = known.split(|&byte| byte == b'-').collect();
        let [version, trace, span, flags] = fields[..] else {
            return None;
        };
        if [version.len(), trace.len(), span.len()] != [2, 32, 16] {
            return None;
        }
        let context = Self {
            trace: TraceId(hexadecimal(trace)?),
            span: hexadecimal(span)? as u64,
            flags: hexadecimal(flags)? as u8,
        };
        // A later version may continue after a dash.
        let ends_well = match hexadecimal(version)? {
            0 => later.is_empty(),
            0xff => false,
            _ => matches!(later.first(), None | Some(b'-')),
        };
        (ends_well && context.trace.0 != 0 && context.span != 0).then_some(context)
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Parses at most 32 hexadecimal digits in lower case.
fn hexadecimal(digits: &[u8]) -> Option<u128> {
    digits.iter().try_fold(0, |number, &digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(number << 4 | u128::from(value))
    })
}
