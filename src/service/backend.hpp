#pragma once

/// What the routes work on.

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

#include "pawl/runtime/engine.hpp"
#include "pawl/store/store.hpp"
#include "store/dead_letters/signature_memory.hpp"

namespace pawl::service {

class LiveEvents;
class Operations;
class SignIn;
class StageFigures;
class Metrics;
class UploadedFiles;
class Server;
class WorkflowLibrary;

/// What the routes say about this process.
struct Daemon {
  bool works = true;               ///< whether its engine runs stages
  std::string store_kind = {};     ///< "sqlite", "postgresql", "memory"; empty: not known
  Timestamp started_at = no_time;  ///< by the store's clock
  /// Whether the process of a worker is known to have died.
  std::function<bool(WorkerId)> is_dead = [](WorkerId) { return false; };
  /// Where the workers of this machine track their running commands; empty: not known.
  std::filesystem::path run_directory = {};
  bool trusts_owner = false;  ///< uses paths that others can write to
  std::atomic<bool> is_stopping = false;
  std::atomic<const Server*> server = nullptr;  ///< null: it does not listen yet
};

/// Everything in it lives longer than the server.
struct Backend {
  Store& store;
  Engine& engine;              ///< acts go through it, so that it reacts at once
  WorkflowLibrary& workflows;  ///< the workflow files that may be submitted
  SignIn& sign_in;             ///< one-time codes and sessions
  LiveEvents& live;            ///< the newest events, for those who follow them
  StageFigures& figures;       ///< durations of attempts per stage
  Operations& operations;      ///< acts on many records, with their progress
  UploadedFiles& uploads;      ///< files for the edits of reviews
  Metrics& metrics;
  Daemon daemon = {};
  store::SignatureMemory letter_signatures = {};  ///< for the groups of dead letters
};

}  // namespace pawl::service
