#include "bench/machine.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include <sqlite3.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

namespace pawl::bench {

namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

Machine this_machine(const std::filesystem::path& folder) {
  constexpr long tmpfs_magic = 0x01021994;
  struct utsname system{};
  ::uname(&system);
  struct sysinfo memory{};
  ::sysinfo(&memory);
  struct statfs disk{};
  const bool disk_known = ::statfs(folder.c_str(), &disk) == 0;
  double load = 0;
  ::getloadavg(&load, 1);
  return {.system = std::string(system.sysname) + " " + system.release + " " + system.machine,
          .processor = processor_name(),
          .processors = std::thread::hardware_concurrency(),
          .memory_mib = static_cast<std::int64_t>(memory.totalram / (1 << 20) * memory.mem_unit),
          .sqlite = sqlite3_libversion(),
          .compiler = __VERSION__,
          .folder = folder,
          .free_mib = static_cast<std::int64_t>(std::filesystem::space(folder).available >> 20),
          .in_memory = disk_known && disk.f_type == tmpfs_magic,
          .load = load};
}

std::string text_of(const Machine& machine) {
  std::ostringstream out;
  out << machine.system << ", " << machine.processors << " x " << machine.processor << ", "
      << machine.memory_mib << " MiB, SQLite " << machine.sqlite << ", GCC " << machine.compiler
      << "\ndatabases in " << machine.folder.string() << " (" << machine.free_mib
      << " MiB free), load " << machine.load << "\n";
  if (machine.in_memory) {
    out << "That folder is in memory: nothing here waits for a disk. Use --folder.\n";
  }
  if (machine.load > 0.5) out << "The machine is not quiet: trust no single figure.\n";
  return out.str();
}

Json json_of(const Machine& machine) {
  return Json::object({{"system", machine.system},
                       {"processor", machine.processor},
                       {"processors", machine.processors},
                       {"memory_mib", machine.memory_mib},
                       {"sqlite", machine.sqlite},
                       {"compiler", machine.compiler},
                       {"folder", machine.folder.string()},
                       {"folder_in_memory", machine.in_memory},
                       {"load", machine.load}});
}

}  // namespace pawl::bench
