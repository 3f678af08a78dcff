// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch_history.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "loops_together.h"

namespace warploom {
namespace {

constexpr int kLevels = LoopsTogether::kLevels;
// Launches of a trial. In the first one the data moves to other cores.
constexpr unsigned kTrial = 4;
// A loop that takes less cannot gain from a second thread, which begins a microsecond later.
constexpr double kLeastWorthTwo = 3'000;
// A loop that takes longer on one thread is worth all of them, and one that takes longer on all needs no trials.
constexpr double kWorthAll = 300'000;
// A loop that takes less on several threads is tried on one, once: what it takes there tells how many it is worth.
constexpr double kTriedOnOne = 50'000;
// So much work is worth handing to another thread.
constexpr double kShare = 2'000;
// A loop that takes longer has blocks to hand from thread to thread.
constexpr double kEvenAtMost = 60'000;
// A loop that takes less begins with even parts, where it begins on several threads.
constexpr double kSurelyEven = 15'000;
// Launches of one shape whose times differ more do different work (a search's frontier): a trial tells nothing.
constexpr double kUneven = 3;
// A loop whose latest launches took less than this on one thread is not looked at while it runs.
constexpr double kNeverWidened = 2'000;
// A trial ends with a launch that takes so many times as long as the longest one of the present plan, and where its
// best launch but for the first takes so many times as long.
constexpr double kHopeless = 3, kSlower = 1.5;
// What took so many times as long when it was tried last is passed over, until trials have become seldom; each time it
// is believed so much less, since it may have met something else.
constexpr double kFarWorse = 1.25, kDoubted = 0.95;
// All threads that a loop gets for one long launch are taken back when the next one takes less than so many times the
// usual time, and such launches are rarer than one in so many: something else had the processor.
constexpr double kAsUsual = 2;
constexpr unsigned kRare = 256;
// After so long a pause no cache holds a loop's data any more.
constexpr double kCold = 1'000'000;
constexpr std::uint64_t kColdKey = 0x5851f42d4c957f2c;
// What a trial has to promise of its best launches: a gain; on fewer threads no loss.
constexpr double kGain = 0.95, kAsGood = 1.02;
// Then the plan and its rival take turns, a round each, so many times; on more threads all launches together must have
// gained, most of all if one thread was enough.
constexpr unsigned kDuel = 8;
constexpr double kGainOnMore = 0.95, kGainOnTwo = 0.92;
// No need to go on after so many turns: so much faster, or slower. No duel at all where the slowest launch of a trial
// is so much faster than the fastest one of the plan.
constexpr unsigned kFewTurns = 2;
constexpr double kSurelyFaster = 0.8, kSurelySlower = 1.1;
// What launches have cost on one thread, and cost now, is told by about so many rounds. Where it is more now, one
// thread is tried at once, and after each time in vain not before twice as many rounds.
constexpr double kRemembered = 16;
// A launch that takes so many times as long as usual has met something else, and counts as that much.
constexpr double kOutlier = 8;
// Threads that sleep are there after so long, in a virtual machine too, from which the host takes idle processors away.
// Until then launches tell nothing: a trial of a few microseconds would be over before they come, each time.
constexpr double kWaking = 1'000'000;
// From the end of one launch to that of the next: the loops between them, too, which may wait for what this one has
// left in other caches, and the host. A longer time is a pause.
constexpr double kCycle = 8;
// What lies between counts as so much at most, or as the launch: the rest is the host's own time.
constexpr double kBetween = 10'000;
// Rounds of kTrial launches between trials: twice as many after each that gained nothing.
constexpr unsigned kShortestPeriod = 8, kLongestPeriod = 1024;

// So many threads, with even parts or not; of one thread there is one plan.
struct Plan {
  int level = 0;
  bool evenly = false;
  bool operator==(const Plan &) const = default;
};

// What is tried next: more threads, fewer, one (instead of one: two), or as many with other parts.
enum class Way { kMore, kFewer, kOneOrTwo, kOther };
constexpr unsigned kWays = 4;

struct Entry {
  std::atomic_flag busy;  // a launch that finds it set does without
  std::uint64_t key = 0;
  std::array<std::array<double, 2>, kLevels> costs{};  // ns a block, the least of the latest round; 0: never tried
  double least = 0, most = 0, total = 0;               // costs of this round
  double shortest = 0, longest = 0;                    // ns a block, of this round, of launches alone
  double usual = 0, usual_cost = 0;                    // the longest and the most of the plan's latest round
  double latest_end = 0;
  double waking_since = 0;  // 0: the threads of the latest launch were awake
  bool was_pause = false;   // before the latest launch
  Plan plan, trial;
  unsigned duel = 0;  // rounds left
  Plan rival;
  double of_plan = 0, of_rival = 0;    // costs of the duel's rounds
  double on_one = 0, on_plan = 0;      // costs of a round, in the long run; 0: not known
  unsigned content = 0, patience = 0;  // rounds until one thread may be tried again for that, and the next time
  Plan before_jump;                    // to all threads, for one launch
  bool has_jumped = false;             // just now
  unsigned since_jump = kRare;
  Way way = Way::kOther;
  unsigned runs = 0, failures = 0, steady = 0, period = kShortestPeriod;
  unsigned findings = 0;  // of loops together, that it knows

  double &cost_of(Plan plan) { return costs[static_cast<unsigned>(plan.level)][plan.evenly]; }
  double cost_of(Plan plan) const { return costs[static_cast<unsigned>(plan.level)][plan.evenly]; }
};

std::array<Entry, 2048> entries;
LoopsTogether together;

class Lease {
 public:
  explicit Lease(std::uint64_t key) : entry_(entries[key >> 53]) {
    held_ = !entry_.busy.test_and_set(std::memory_order_acquire);
  }
  Lease(const Lease &) = delete;
  Lease &operator=(const Lease &) = delete;
  ~Lease() {
    if (held_) entry_.busy.clear(std::memory_order_release);
  }
  explicit operator bool() const { return held_; }
  Entry *operator->() { return &entry_; }
  Entry &operator*() { return entry_; }

 private:
  Entry &entry_;
  bool held_;
};

int top_level(unsigned most) {
  int level = 0;
  while (level + 1 < kLevels && 1U << level < most) ++level;
  return level;
}

unsigned threads_at(int level, unsigned most) { return std::min(1U << level, most); }

// Three significant bits: launches of nearly the same size share what they learn.
std::uint64_t about(std::uint64_t count) {
  const int digits = 64 - __builtin_clzll(count | 1);
  return digits <= 3 ? count : count >> (digits - 3) << (digits - 3);
}

std::uint64_t key_of(const void *body, std::uint64_t size, std::uint64_t threads) {
  std::uint64_t key = reinterpret_cast<std::uintptr_t>(body);
  for (const std::uint64_t number : {size, threads}) key = (key ^ number) * 0x9e3779b97f4a7c15;
  return key | 1;
}

void add_to_round(Entry &entry, bool is_first, double each, double cost) {
  entry.shortest = is_first ? each : std::min(entry.shortest, each);
  entry.longest = is_first ? each : std::max(entry.longest, each);
  entry.least = is_first ? cost : std::min(entry.least, cost);
  entry.most = is_first ? cost : std::max(entry.most, cost);
  entry.total = is_first ? cost : entry.total + cost;
}

void begin_round(Entry &entry, Plan trial) {
  entry.trial = trial;
  entry.runs = 0;
}

void give_up(Entry &entry) {
  entry.way = static_cast<Way>((static_cast<unsigned>(entry.way) + 1) % kWays);
  if (++entry.failures < kWays) return;
  entry.steady = entry.period;
  entry.period = std::min(2 * entry.period, kLongestPeriod);
  entry.failures = 0;
}

// Of the loop on one thread, as many as its work is worth.
int level_above(const Entry &entry, int top, double elapsed) {
  if (entry.plan.level != 0) return entry.plan.level + 1;
  return std::clamp(top_level(static_cast<unsigned>(elapsed / kShare)), 1, std::max(top, 1));
}

// What lies that way; the plan itself where nothing does.
Plan plan_on_the_way(const Entry &entry, int top, double elapsed) {
  const Plan plan = entry.plan;
  const bool is_worth_two = elapsed >= kLeastWorthTwo, is_worth_all = elapsed > kWorthAll;
  const bool evenly = plan.level == 0 ? elapsed <= kEvenAtMost : plan.evenly;
  switch (entry.way) {
    case Way::kMore: {
      const int level = level_above(entry, top, elapsed);
      return level > top || !is_worth_two ? plan : Plan{level, evenly};
    }
    case Way::kFewer:
      return plan.level == 0 || is_worth_all ? plan : Plan{plan.level - 1, plan.evenly && plan.level > 1};
    case Way::kOneOrTwo:
      if (plan.level == 0) return top == 0 || !is_worth_two ? plan : Plan{1, evenly};
      return is_worth_all ? plan : Plan{};
    case Way::kOther:
      return plan.level == 0 || elapsed > kEvenAtMost ? plan : Plan{plan.level, !plan.evenly};
  }
  return plan;
}

// The same, but for what has been tried in vain.
Plan next_plan(Entry &entry, int top, double elapsed) {
  const Plan next = plan_on_the_way(entry, top, elapsed);
  const double planned = entry.cost_of(entry.plan);
  double &cost = entry.cost_of(next);
  if (cost <= kFarWorse * planned || entry.period == kLongestPeriod) return next;
  cost = kDoubted * std::min(cost, kOutlier * planned);
  return entry.plan;
}

void adopt(Entry &entry, Plan plan) {
  if (plan != entry.plan) entry.on_plan = 0;
  entry.plan = plan;
  entry.duel = 0;
  begin_round(entry, plan);
}

void begin_duel(Entry &entry, Plan rival) {
  begin_round(entry, entry.plan);
  entry.rival = rival;
  entry.duel = 2 * kDuel;
  entry.of_plan = entry.of_rival = 0;
}

void remember(double &usual, double now) {
  usual = usual == 0 ? now : usual + (std::min(now, kOutlier * usual) - usual) / kRemembered;
}

// Whether the loop has been faster on one thread.
bool regrets(Entry &entry) {
  remember(entry.plan.level == 0 ? entry.on_one : entry.on_plan, entry.total);
  if (entry.content != 0) --entry.content;
  return entry.plan.level != 0 && entry.content == 0 && entry.on_one != 0 && entry.on_plan > entry.on_one;
}

// After a round of the present plan: what to try next. `least`, `elapsed`: of its shortest and its longest launch.
void look_around(Entry &entry, int top, double least, double elapsed) {
  entry.usual = entry.longest;
  entry.usual_cost = entry.most;
  begin_round(entry, entry.plan);
  if (least > kWorthAll && (entry.plan.level < top || entry.plan.evenly)) return adopt(entry, {top, false});
  if (entry.plan.level != 0 && entry.cost_of({}) == 0 && elapsed < kTriedOnOne) return begin_round(entry, {});
  if (elapsed < kTriedOnOne && regrets(entry)) {
    entry.content = entry.patience = std::clamp(2 * entry.patience, kShortestPeriod, kLongestPeriod);
    return begin_duel(entry, {});
  }
  if (entry.steady != 0) {
    --entry.steady;
    return;
  }
  const Plan next = next_plan(entry, top, elapsed);
  next == entry.plan ? give_up(entry) : begin_round(entry, next);
}

void end_in_vain(Entry &entry, double cost) {
  entry.cost_of(entry.trial) = cost;
  adopt(entry, entry.plan);
  give_up(entry);
}

// One launch was enough to see that the present number of threads is wrong: a search whose frontier has grown meanwhile
// would go on with its largest launches.
bool leaves_at_once(Entry &entry, int top, double elapsed, double each, double cost) {
  if (entry.trial != entry.plan) {
    const bool may_be_chance = elapsed < kTriedOnOne && entry.trial.level >= entry.plan.level;
    if (may_be_chance || each < kHopeless * entry.usual) return false;
    end_in_vain(entry, std::max(each, cost));
    return true;
  }
  if (elapsed < kWorthAll || entry.plan.level == top) return false;
  entry.before_jump = entry.plan;
  entry.has_jumped = std::exchange(entry.since_jump, 0) >= kRare;
  adopt(entry, {top, false});
  entry.way = Way::kOther;
  entry.failures = entry.steady = 0;
  entry.period = kShortestPeriod;
  return true;
}

// Whether the launch before was long by chance.
bool returns_at_once(Entry &entry, double each) {
  if (entry.since_jump < kRare) ++entry.since_jump;
  if (!std::exchange(entry.has_jumped, false) || each > kAsUsual * entry.usual) return false;
  adopt(entry, entry.before_jump);
  return true;
}

void win(Entry &entry, Plan rival) {
  entry.way = rival.level < entry.plan.level && rival.level != 0 ? Way::kFewer : Way::kMore;
  entry.failures = entry.steady = 0;
  // Fewer threads need not be faster: that has shown nothing of others. But a team loses to one thread while a member
  // comes late, which passes: it is asked again soon.
  if (rival.level >= entry.plan.level || rival.level == 0) entry.period = kShortestPeriod;
  adopt(entry, rival);
}

void end_trial(Entry &entry) {
  const Plan trial = entry.trial;
  const double before = entry.cost_of(entry.plan);
  if (trial.level == 0) remember(entry.on_one, entry.total);
  begin_round(entry, entry.plan);
  if (entry.most >= kUneven * entry.least) return give_up(entry);
  if (entry.least >= (trial.level < entry.plan.level ? kAsGood : kGain) * before) return give_up(entry);
  if (entry.most < kSurelyFaster * before) return win(entry, trial);
  begin_duel(entry, trial);
}

// After a round of a duel. The plan's come first.
void go_on(Entry &entry) {
  const bool is_of_rival = --entry.duel % 2 == 0;
  (is_of_rival ? entry.of_rival : entry.of_plan) += entry.total;
  const Plan now = entry.trial, rival = entry.rival;
  if (now.level == 0) remember(entry.on_one, entry.total);
  begin_round(entry, is_of_rival ? entry.plan : rival);
  if (!is_of_rival) return;
  const double ratio = entry.of_rival / entry.of_plan;
  const bool is_clear = entry.duel <= 2 * (kDuel - kFewTurns) && (ratio < kSurelyFaster || ratio > kSurelySlower);
  if (entry.duel != 0 && !is_clear) return;
  entry.duel = 0;
  const double wanted = rival.level <= entry.plan.level ? 1 : entry.plan.level == 0 ? kGainOnTwo : kGainOnMore;
  ratio < wanted ? win(entry, rival) : give_up(entry);
}

// What the launch has cost, ns; negative: it does not count.
double cost_of_launch(Entry &entry, double spent, double end) {
  const double cycle = end - std::exchange(entry.latest_end, end);
  const bool is_pause = cycle > kCycle * spent, was_pause = std::exchange(entry.was_pause, is_pause);
  if (is_pause && !was_pause) return -1;
  return is_pause ? spent : spent + std::clamp(cycle - spent, 0., std::max(spent, kBetween));
}

// Whether the threads that the loop runs on are about to wake up.
bool is_waking(Entry &entry, bool has_woken, double end) {
  if (!has_woken) entry.waking_since = 0;
  if (has_woken && entry.waking_since == 0) entry.waking_since = end;
  return has_woken && end - entry.waking_since < kWaking;
}

// What the next launch runs on: what all loops are tried on, or its own plan or trial.
Plan planned_now(const Entry &entry, int top) {
  const int level = together.level(entry.key);
  if (level == LoopsTogether::kByItself) return entry.trial;
  if (level == LoopsTogether::kAsPlanned || level == entry.plan.level) return entry.plan;
  return {std::min(level, top), level != 0 && (entry.plan.level == 0 || entry.plan.evenly)};
}

void follow_finding(Entry &entry) {
  const unsigned findings = together.findings();
  if (entry.findings == findings) return;
  entry.findings = findings;
  const int level = together.adopted(entry.key);
  if (level == LoopsTogether::kAsPlanned || level == entry.plan.level) return;
  if (level > entry.plan.level) entry.period = kShortestPeriod;
  adopt(entry, {level, level != 0 && (entry.plan.level == 0 || entry.plan.evenly)});
  entry.failures = entry.steady = 0;
}

void begin(Entry &entry, std::uint64_t key, Plan plan) {
  entry.key = key;
  entry.costs = {};
  entry.plan = plan;
  entry.way = plan.level == 0 ? Way::kMore : Way::kOther;
  entry.latest_end = entry.waking_since = entry.on_one = entry.on_plan = 0;
  entry.content = entry.patience = 0;
  entry.was_pause = true;
  entry.failures = entry.steady = 0;
  entry.usual = 0;
  entry.has_jumped = false;
  entry.since_jump = kRare;
  entry.period = kShortestPeriod;
  adopt(entry, plan);
}

LoopHistory::Choice choice_of(const Entry &entry, unsigned most, Plan now, std::uint64_t blocks) {
  const bool is_short =
      entry.trial == entry.plan && entry.usual > 0 && entry.usual * static_cast<double>(blocks) < kNeverWidened;
  return {threads_at(now.level, most), now.evenly, now.level == 0 && !is_short};
}

// What a launch took there when that was tried last, over what it takes as planned; 1: not known.
double times_of_plan(const Entry &entry, int level) {
  const double planned = entry.cost_of(entry.plan), whole = entry.cost_of({level, false}),
               even = entry.cost_of({level, true});
  const double known = whole == 0 || (even != 0 && even < whole) ? even : whole;
  return known == 0 || planned == 0 ? 1 : known / planned;
}

// A launch of so many blocks took `spent` ns; it counts as `cost`, not at all where that is negative.
void note(Entry &entry, int top, std::uint64_t count, double spent, double cost) {
  const auto blocks = static_cast<double>(count);
  if (returns_at_once(entry, spent / blocks) || leaves_at_once(entry, top, spent, spent / blocks, cost / blocks))
    return;
  // The very first launch of all may have started threads.
  if (entry.usual == 0 && entry.runs < 2 && entry.plan.level != 0 && entry.trial == entry.plan && spent <= kSurelyEven)
    entry.plan.evenly = entry.trial.evenly = true;
  if (cost < 0) return;
  const unsigned run = entry.runs++;
  if (run == 0) return;
  const double counted = run == 1 ? cost : std::min(cost, kOutlier * entry.least * blocks);
  add_to_round(entry, run == 1, spent / blocks, counted / blocks);
  const bool is_trial = entry.duel == 0 && entry.trial != entry.plan;
  if (is_trial && run + 1 < kTrial && entry.least > kSlower * entry.usual_cost) return end_in_vain(entry, entry.least);
  if (run + 1 < kTrial) return;
  entry.cost_of(entry.trial) = entry.least;
  if (entry.duel != 0) {
    go_on(entry);
  } else if (is_trial) {
    end_trial(entry);
  } else {
    look_around(entry, top, entry.shortest * blocks, entry.longest * blocks);
  }
}

double nanoseconds(std::chrono::nanoseconds time) { return static_cast<double>(time.count()); }

}  // namespace

LoopHistory::LoopHistory(const void *body, std::uint64_t blocks, std::uint64_t threads)
    : body_(body), blocks_(blocks), threads_(threads), key_(key_of(body, about(blocks), threads)) {}

// ns a block, as loops of the next size below or above have found; 0: neither has.
double LoopHistory::known_on_one() const {
  const std::uint64_t size = about(blocks_);
  for (const std::uint64_t other : {about(size - 1), about(size + size / 4)}) {
    const std::uint64_t key = key_of(body_, other, threads_);
    if (Lease entry(key); entry && entry->key == key && entry->cost_of({}) != 0) return entry->cost_of({});
  }
  return 0;
}

LoopHistory::Choice LoopHistory::choose(unsigned most, unsigned guess, std::chrono::nanoseconds start) {
  start_ = start;
  Lease entry(key_);
  if (!entry) return {guess, false, true};
  if (entry->key != key_) {
    const double each = known_on_one();
    const bool evenly = guess > 1 && each != 0 && each * static_cast<double>(blocks_) <= kSurelyEven * guess;
    begin(*entry, key_, {top_level(guess), evenly});
    entry->cost_of({}) = each;
  }
  is_cold_ = entry->latest_end != 0 && nanoseconds(start) - entry->latest_end > kCold;
  if (!is_cold_) return choice_of(*entry, most, planned_now(*entry, top_level(most)), blocks_);
  // What members have in their caches is there by the plan of launches in a row.
  if (entry->usual != 0) return choice_of(*entry, most, entry->plan, blocks_);
  Lease cold(key_ ^ kColdKey);
  if (!cold) return {guess, false, true};
  if (cold->key != (key_ ^ kColdKey)) begin(*cold, key_ ^ kColdKey, {top_level(guess), false});
  return choice_of(*cold, most, cold->trial, blocks_);
}

void LoopHistory::learn(unsigned most, std::chrono::nanoseconds elapsed, bool has_woken) const {
  Lease entry(key_);
  if (!entry || entry->key != key_) return;
  const double spent = nanoseconds(elapsed), end = nanoseconds(start_ + elapsed);
  if (is_cold_) {
    entry->latest_end = end;
    if (entry->usual != 0) {
      // But for how much there is to do now.
      const double each = spent / static_cast<double>(blocks_);
      if (entry->trial == entry->plan) leaves_at_once(*entry, top_level(most), spent, each, each);
      return;
    }
    Lease cold(key_ ^ kColdKey);
    if (cold && cold->key == (key_ ^ kColdKey)) note(*cold, top_level(most), blocks_, spent, spent);
    return;
  }
  const double cost = cost_of_launch(*entry, spent, end);
  if (is_waking(*entry, has_woken, end)) return;
  const auto worse = [&](int level) { return times_of_plan(*entry, level); };
  if (together.note(key_, entry->plan.level, top_level(most), spent, end, worse)) return;
  follow_finding(*entry);
  note(*entry, top_level(most), blocks_, spent, cost);
}

}  // namespace warploom
