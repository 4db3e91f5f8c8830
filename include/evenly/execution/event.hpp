// SPDX-License-Identifier: Apache-2.0
// Events: a point in the work of an executor, which others wait for.
//
//   const auto done = first.record();    // after what has been started on `first`
//   second.wait(done);                   // what is started on `second` from here on comes after it
//
// On cuda neither waits for the device: streams, of one device or of two, are ordered there. Work on an
// executor of the host is done when the call returns, so nobody waits for its events. Where it waits for an event of a
// device, the calling thread does. Events are copied freely, and may outlive the executor.
#pragma once

#include "evenly/core/annotations.hpp"

namespace evenly {

/// Of cpu and simt.
struct host_event {
  void synchronize() const {}
};

} // namespace evenly
