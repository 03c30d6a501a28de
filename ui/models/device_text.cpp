#include "ui/models/device_text.h"

#include <QCoreApplication>
#include <QStringList>

#include "ui/style/numbers.h"

namespace kernelscape::models {
namespace {

using Facts = std::vector<std::pair<QString, QString>>;

QString device_text(const char* text) { return QCoreApplication::translate("DeviceText", text); }

QString size_text(std::int64_t bytes) { return style::format_bytes(static_cast<double>(bytes)); }

class FactList {
 public:
  void add(const char* what, const QString& text) {
    if (!text.isEmpty()) facts_.emplace_back(device_text(what), text);
  }
  void add_text(const char* what, const std::string& text) { add(what, QString::fromStdString(text)); }
  /** Adds a count; 0 is not known, or not limited, and is left out. */
  void add_count(const char* what, std::int64_t count) {
    if (count > 0) add(what, style::format_count(count));
  }
  void add_bytes(const char* what, std::int64_t bytes) {
    if (bytes > 0) add(what, size_text(bytes));
  }
  void add_extents(const char* what, std::int64_t x, std::int64_t y, std::int64_t z) {
    if (x > 0 && y > 0 && z > 0)
      add(what, QStringLiteral("%1 × %2 × %3")
                    .arg(style::format_count(x), style::format_count(y), style::format_count(z)));
  }

  Facts take() { return std::move(facts_); }

 private:
  Facts facts_;
};

QString compiler_text(const schedule::TargetDescription& target) {
  if (target.compiler.empty())
    return target.kind == schedule::TargetKind::Cpu
               ? device_text("none: kernels can't be built; install gcc or set CC")
               : QString();
  const QString name = QString::fromStdString(target.compiler);
  return target.compiler_version.empty()
             ? name
             : QStringLiteral("%1, %2").arg(name, QString::fromStdString(target.compiler_version));
}

void add_cpu_facts(FactList& facts, const schedule::TargetDescription& target) {
  facts.add_text("instructions", target.isa);
  facts.add("vectors",
            device_text("%1 registers of %2 bits")
                .arg(style::format_count(target.vector_registers), style::format_count(target.vector_bits)));
  facts.add_count("cores", target.cores);
  facts.add_bytes("L1 data cache per core", target.l1_bytes);
  facts.add_bytes("L2 cache", target.l2_bytes);
  facts.add_bytes("L3 cache", target.l3_bytes);
}

void add_gpu_facts(FactList& facts, const schedule::TargetDescription& target) {
  facts.add_text(target.kind == schedule::TargetKind::Cuda ? "architecture" : "language", target.isa);
  facts.add_count(target.kind == schedule::TargetKind::Cuda ? "multiprocessors" : "compute units",
                  target.cores);
  facts.add_count("maximum threads per block", target.threads_per_block);
  facts.add_extents("maximum block size", target.block_x, target.block_y, target.block_z);
  facts.add_extents("maximum grid size", target.grid_x, target.grid_y, target.grid_z);
  facts.add_bytes("maximum shared memory per block", target.shared_bytes);
  facts.add_count("maximum registers per thread", target.registers_per_thread);
  facts.add_count("threads per warp", target.warp_threads);
  facts.add_count("threads per multiprocessor", target.threads_per_multiprocessor);
  facts.add_count("blocks per multiprocessor", target.blocks_per_multiprocessor);
  facts.add_count("registers per multiprocessor", target.registers_per_multiprocessor);
  facts.add_bytes("shared memory per multiprocessor", target.shared_bytes_per_multiprocessor);
  facts.add_bytes("L2 cache", target.l2_bytes);
}

}  // namespace

QString platform_name(schedule::TargetKind kind) {
  switch (kind) {
    case schedule::TargetKind::Cpu:
      return QStringLiteral("CPU");
    case schedule::TargetKind::Cuda:
      return QStringLiteral("CUDA");
    case schedule::TargetKind::OpenCl:
      return QStringLiteral("OpenCL");
  }
  return {};
}

QString device_state_text(const workspace::FoundDevice& device) {
  return device.holder.empty() ? device_text("free")
                               : device_text("used by %1").arg(QString::fromStdString(device.holder));
}

QString device_memory_text(const workspace::FoundDevice& device) {
  const std::int64_t all = device.target.memory_bytes;
  if (all <= 0) return style::no_number();
  return device.free_memory_bytes > 0
             ? device_text("%1 free of %2").arg(size_text(device.free_memory_bytes), size_text(all))
             : size_text(all);
}

std::vector<std::pair<QString, QString>> device_facts(const workspace::FoundDevice& device) {
  const schedule::TargetDescription& target = device.target;
  FactList facts;
  facts.add_text("device", target.device);
  facts.add("state", device_state_text(device));
  if (target.memory_bytes > 0) facts.add("memory", device_memory_text(device));
  if (target.kind == schedule::TargetKind::Cpu) {
    add_cpu_facts(facts, target);
  } else {
    add_gpu_facts(facts, target);
  }
  facts.add_text("driver", target.driver_version);
  facts.add("compiler", compiler_text(target));
  if (target.host_device) facts.add("note", device_text("this machine's CPU: builds and runs take turns"));
  return facts.take();
}

QString dialect_name(codegen::Dialect dialect) {
  switch (dialect) {
    case codegen::Dialect::C:
      return QStringLiteral("C");
    case codegen::Dialect::Cuda:
      return QStringLiteral("CUDA C++");
    case codegen::Dialect::OpenCl:
      return QStringLiteral("OpenCL C");
  }
  return {};
}

}  // namespace kernelscape::models
