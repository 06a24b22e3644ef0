#include "cli/commands/command_entry.hpp"

namespace pawl::cli {

CommandEntry command(const std::string& path, std::string example, std::string about,
                     std::function<int(Session&)> call) {
  const std::size_t space = path.find(' ');
  CommandEntry entry;
  if (space != std::string::npos) entry.noun = path.substr(0, space);
  entry.name = path.substr(space + 1);  // npos + 1 is 0
  entry.example = std::move(example);
  entry.about = std::move(about);
  if (entry.name == "list") entry.aliases = {"ls"};
  entry.call = std::move(call);
  return entry;
}

Word flag(std::string names, bool& target, std::string about) {
  return {.names = std::move(names), .target = &target, .shown = {}, .about = std::move(about)};
}

Word option(std::string names, Target target, std::string shown, std::string about) {
  return {.names = std::move(names),
          .target = target,
          .shown = std::move(shown),
          .about = std::move(about)};
}

Word required_option(std::string names, Target target, std::string shown, std::string about) {
  Word word = option(std::move(names), target, std::move(shown), std::move(about));
  word.is_required = true;
  return word;
}

Word choice(std::string names, Target target, std::vector<std::string> choices, std::string about) {
  std::string shown;
  for (const std::string& one : choices) shown += (shown.empty() ? "" : "|") + one;
  Word word = option(std::move(names), target, std::move(shown), std::move(about));
  word.choices = std::move(choices);
  return word;
}

Word list_option(std::string names, std::vector<std::string>& target, std::string shown,
                 std::string about) {
  Word word = option(std::move(names), &target, std::move(shown), std::move(about));
  word.splits_at_commas = true;
  return word;
}

Word argument(Target target, std::string shown, std::string about) {
  return required_option({}, target, std::move(shown), std::move(about));
}

Word optional_argument(Target target, std::string shown, std::string about) {
  return option({}, target, std::move(shown), std::move(about));
}

Word person_option(std::string& as) {
  Word word = option("--as", &as, "NAME",
                     "The person who acts; default: PAWL_USER, else the system's name for you");
  word.is_name = true;
  return word;
}

Word limit_option(std::uint32_t& limit) {
  return option("--limit", &limit, "N", "Maximum number of rows, 0: all; default: 100");
}

Word csv_flag(bool& csv) { return flag("--csv", csv, "Print CSV, for spreadsheets"); }

int fail_csv(Session& session) {
  return session.fail_usage("--csv cannot be combined with --json, --jsonl or --quiet",
                            "omit one of them");
}

Word job_of_key_option(std::optional<std::int64_t>& job) {
  return option("--job", &job, "JOB", "The job; default: the newest one with this key");
}

Word keep_running_flag(bool& keep_running) {
  return flag("--keep-running", keep_running,
              "Let commands continue past the lease; other workers may run the same tasks");
}

Word lease_option(std::string& lease) {
  return option("--lease", &lease, "TIME",
                "Other workers take over if this one is silent for so long; default: 60s");
}

Word file_quota_option(std::string& quota) {
  return option("--file-quota", &quota, "SIZE",
                "Maximum size of the files of one attempt; default: 16GiB");
}

Word reviews_argument(std::vector<std::string>& reviews) {
  return argument(&reviews, "REVIEW...", "Review numbers; - reads them from stdin");
}

Words words_of_address(AddressText& address) {
  return {argument(&address.text, "ID", "KEY, JOB/KEY or KEY/STAGE"),
          job_of_key_option(address.job),
          option("--stage", &address.stage, "STAGE", "The stage, if the id does not name it")};
}

}  // namespace pawl::cli
