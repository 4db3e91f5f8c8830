// SPDX-License-Identifier: Apache-2.0
// Events: a point in the work of one executor that another executor can wait for.
//
//   const auto done = first.record();    // comes after the work started on `first`
//   second.wait(done);                   // comes before the work started on `second` from here on
//
// On cuda neither call waits for the device: the streams, of one device or of two, are ordered there. The work of a
// host executor is done when its call returns, so its events need no waiting. A host executor that waits for a device's
// event blocks the calling thread. Events are copied freely and may outlive the executor.
#pragma once

#include "evenly/core/annotations.hpp"

namespace evenly {

/// An event of cpu or simt. It is complete from the start.
struct host_event {
  void synchronize() const {}
};

} // namespace evenly
