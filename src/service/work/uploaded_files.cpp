#include "service/work/uploaded_files.hpp"

#include <utility>

namespace pawl::service {

Status UploadedFiles::check_room(ReviewId review) {
  const std::lock_guard lock(mutex_);
  forget_old();
  const auto known = reviews_.find(review);
  if (known == reviews_.end() || known->second.size() < files_per_review_max) return {};
  return fail(ErrorCode::refused,
              "review " + std::to_string(review.value()) + " has " +
                  std::to_string(known->second.size()) + " uploaded files already",
              "use one of them, or try again tomorrow");
}

void UploadedFiles::add(ReviewId review, const std::string& sha256, std::int64_t size) {
  const std::lock_guard lock(mutex_);
  forget_old();
  if (in_order_.size() >= files_max) forget_oldest();
  in_order_.push_back({.review = review, .sha256 = sha256, .until = clock_.now() + kept_for});
  KnownFile& file = reviews_[review][sha256];
  file.size = size;
  ++file.uploads;
}

bool UploadedFiles::has(ReviewId review, const std::string& sha256, std::int64_t size) {
  const std::lock_guard lock(mutex_);
  forget_old();
  const auto known = reviews_.find(review);
  if (known == reviews_.end()) return false;
  const auto file = known->second.find(sha256);
  return file != known->second.end() && file->second.size == size;
}

void UploadedFiles::forget_old() {
  const Timestamp now = clock_.now();
  while (!in_order_.empty() && in_order_.front().until <= now) forget_oldest();
}

void UploadedFiles::forget_oldest() {
  const Upload oldest = std::move(in_order_.front());
  in_order_.pop_front();
  std::map<std::string, KnownFile>& files = reviews_[oldest.review];
  // The same file may have been uploaded again since.
  if (--files[oldest.sha256].uploads == 0) files.erase(oldest.sha256);
  if (files.empty()) reviews_.erase(oldest.review);
}

}  // namespace pawl::service
