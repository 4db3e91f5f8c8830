// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <cuda_runtime.h>

#include "measure/machine.hpp"

namespace evenly::measure {

std::string gpus() {
  const auto in_words = [](int version) { // 13000 is 13.0
    return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
  };
  int driver = 0, runtime = 0, count = 0;
  cudaDriverGetVersion(&driver); // 0 without a driver
  cudaRuntimeGetVersion(&runtime);
  const std::string versions = (driver == 0 ? "no driver" : "driver for CUDA " + in_words(driver)) +
                               ", CUDA runtime " + in_words(runtime);
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess || count == 0)
    return std::string("no GPU: ") + cudaGetErrorString(status == cudaSuccess ? cudaErrorNoDevice : status) +
           " (" + versions + ")\n";
  std::string lines;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp device{};
    const cudaError_t status = cudaGetDeviceProperties(&device, i);
    lines += "GPU: ";
    lines += status == cudaSuccess ? device.name : cudaGetErrorString(status);
    lines += " (" + versions + ")\n";
  }
  return lines;
}

} // namespace evenly::measure
