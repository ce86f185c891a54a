// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <jansson.h>

#include "fake_document.h"
#include "lib/results.h"
#include "lib/comparison.h"
#include "lib/preset.h"
#include "lib/summary.h"

static struct fake fake;

/* Everything that a set and its variants can have. */
static void with_extras(struct document *doc)
{
	struct set *set = &doc->sets[0];

	doc->order = ORDER_SPREAD;
	set->share = 0.19;
	set->share_variant = 2;
	for (unsigned int i = 0; i < set->nr_variants; i++) {
		set->variants[i].jitter = 20 + i;
		set->variants[i].lines = 4 + i;
		set->variants[i].backoff_min = 2;
		set->variants[i].backoff_max = 128 + i;
		set->variants[i].wfet_ns = 900 + i;
	}
	set->variants[2].lock = SPIN_LOCK_innodb_rwlock;
	set->variants[2].read_share = 80;
	set->variants[2].spin_wait_delay = 0;
	set->variants[2].pause_multiplier = 51;
	set->variants[2].sync_spin_loops = UINT32_MAX;
	set->windows[2].records[0].rounds = 9;
	set->windows[2].records[1].yields = 8;
	set->variants[1].flags = SPINDELAY_TWIN;
	set->variants[0].lock = SPIN_LOCK_backoff;
	set->variants[0].backoff = preset_default()->backoff;
	set->variants[0].backoff.nap_us = SPINDELAY_BACKOFF_UNTIL_WOKEN;
	set->variants[0].backoff.looks = 77;
}

static struct document *noisy_compare(void)
{
	struct document *doc;

	fake_init(&fake, 3);
	fake.noise = 0.02;
	fake.placement_noise = 0.01;
	fake.rate[0] = 0.00105;
	fake.invalid_every = 17;
	fake.cycles_per_tick = 2.7;
	fake.instructions_per_tick = 1.3;
	fake.speed[1] = 1.02;
	doc = fake_compare(&fake, 3, 6, 12);
	with_extras(doc);
	document_forget_findings(doc);
	assert_int_equal(summarise_variants(doc) || summarise_comparisons(doc),
			 0);
	strcpy(doc->machine.warnings[doc->machine.nr_warnings++], "a \"one\"");
	return doc;
}

static char *written(const struct document *doc)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_int_equal(results_write(doc, stream), 0);
	fclose(stream);
	return text;
}

static struct document *read_back(const char *text, struct fault *fault)
{
	FILE *stream = fmemopen((char *)text, strlen(text), "r");
	struct document *doc = results_read(stream, "test.json", fault);

	fclose(stream);
	return doc;
}

static void numbers_are_the_same_to_the_last_digit(void **state)
{
	struct document *doc = noisy_compare(), *again;
	char *text = written(doc), *other;
	struct fault fault = { 0 };

	(void)state;
	/* Said in words, once a place. */
	assert_non_null(strstr(text, "\"twin\":true"));
	assert_non_null(strstr(text, "\"backend\": \"kernel\""));
	assert_null(strstr(text, "\"flags\""));
	again = read_back(text, &fault);
	if (!again)
		fail_msg("%s", fault.text);
	assert_memory_equal(again->sets[0].variants, doc->sets[0].variants,
			    3 * sizeof(struct spindelay_variant));
	assert_int_equal(again->order, ORDER_SPREAD);
	assert_false(again->user);
	assert_int_equal(summarise_variants(again), 0);
	assert_int_equal(summarise_comparisons(again), 0);
	other = written(again);
	assert_string_equal(text, other);
	free(text);
	free(other);
	document_free(doc);
	document_free(again);
}

static void the_backend_is_read_back(void **state)
{
	struct document *doc = noisy_compare(), *again;
	struct fault fault = { 0 };
	char *text, *word;

	(void)state;
	doc->user = true;
	text = written(doc);
	again = read_back(text, &fault);
	assert_true(again && again->user);
	document_free(again);
	word = strstr(text, "\"backend\": \"user\"");
	assert_non_null(word);
	/* Of no backend that there is. */
	memcpy(word, "\"backend\": \"uses\"", 17);
	assert_null(read_back(text, &fault));
	assert_fault(&fault, STATUS_ERROR, "backend");
	/* From before there were two. */
	memcpy(word, "\"backens\"", 9);
	again = read_back(text, &fault);
	assert_true(again && !again->user);
	document_free(again);
	free(text);
	document_free(doc);
}

static void costs_are_the_same_to_the_last_digit(void **state)
{
	struct document *doc, *again;
	struct fault fault = { 0 };
	char *text, *other;

	(void)state;
	fake_init(&fake, 3);
	fake.ns_per_copy = 7.31;
	doc = fake_cost(&fake, 2);
	text = written(doc);
	again = read_back(text, &fault);
	if (!again)
		fail_msg("%s", fault.text);
	assert_int_equal(summarise_costs(again), 0);
	other = written(again);
	assert_string_equal(text, other);
	free(text);
	free(other);
	document_free(doc);
	document_free(again);
}

static void numbers_are_written_to_the_last_digit(void **state)
{
	struct document *doc = noisy_compare();
	char *text = written(doc);
	json_t *root = json_loads(text, 0, NULL), *ratio;

	(void)state;
	ratio = json_object_get(json_array_get(json_object_get(root,
							       "comparisons"),
					       0),
				"ratio");
	assert_true(json_real_value(json_object_get(ratio, "estimate")) ==
		    doc->comparisons[0].ratio.estimate);
	assert_true(json_real_value(json_object_get(ratio, "high")) ==
		    doc->comparisons[0].ratio.high);
	json_decref(root);
	free(text);
	document_free(doc);
}

static void expect_keys(const json_t *object, const char *const *keys)
{
	for (; *keys; keys++)
		if (!json_object_get(object, *keys))
			fail_msg("no '%s'", *keys);
}

#define EXPECT_KEYS(object, ...) \
	expect_keys(object, (const char *const[]){ __VA_ARGS__, NULL })

static json_t *first_of(const json_t *root, const char *key)
{
	return json_array_get(json_object_get(root, key), 0);
}

static void the_document_is_that_of_the_contract(void **state)
{
	struct document *doc = noisy_compare();
	char *text = written(doc);
	json_t *root = json_loads(text, 0, NULL), *object;

	(void)state;
	EXPECT_KEYS(root, "schema", "command", "backend", "machine", "seed",
		    "placements", "rounds", "window_ms", "discarded_rounds",
		    "variants", "comparisons", "costs", "windows", "order",
		    "shares", "frequency_change");
	assert_string_equal(json_string_value(json_object_get(root, "schema")),
			    "spindelay-1");
	object = json_object_get(root, "machine");
	EXPECT_KEYS(object, "cpu", "midr", "cpus_online", "kernel", "page_size",
		    "counter_hz", "capabilities", "emulated", "hypervisor",
		    "governor", "taint", "warnings");
	EXPECT_KEYS(json_object_get(object, "capabilities"), "sb", "wfxt");
	object = first_of(root, "variants");
	EXPECT_KEYS(object, "variant", "rate", "ns_per_acquisition",
		    "polls_per_acquisition", "delay_share", "hold_stretch",
		    "fairness", "wait_ns", "cpus", "ns_per_handover",
		    "cycles_per_acquisition", "instructions_per_acquisition",
		    "ghz");
	EXPECT_KEYS(first_of(root, "shares"), "set", "baseline", "asked",
		    "achieved", "think_ns");
	EXPECT_KEYS(json_object_get(object, "variant"), "lock", "delay",
		    "count", "pad", "cpus", "hold_ns", "think_ns", "jitter",
		    "lines", "backoff_min", "backoff_max", "wfet_ns");
	EXPECT_KEYS(json_object_get(object, "fairness"), "jain",
		    "min_over_max");
	EXPECT_KEYS(json_object_get(object, "wait_ns"), "p50", "p99", "p999",
		    "max");
	object = first_of(root, "comparisons");
	EXPECT_KEYS(object, "a", "b", "match", "part", "metric", "ratio",
		    "resolved", "verdict", "reason",
		    "minimum_detectable_effect");
	EXPECT_KEYS(json_object_get(object, "ratio"), "estimate", "low", "high",
		    "level");
	json_decref(root);
	free(text);
	document_free(doc);
}

static void costs_are_those_of_the_contract(void **state)
{
	struct document *doc;
	json_t *root;
	char *text;

	(void)state;
	fake_init(&fake, 3);
	doc = fake_cost(&fake, 2);
	text = written(doc);
	root = json_loads(text, 0, NULL);
	EXPECT_KEYS(first_of(root, "costs"), "delay", "count",
		    "back_to_back_ns", "poll_period_ns", "cycles");
	assert_true(json_is_null(json_object_get(first_of(root, "costs"),
						 "cycles")));
	json_decref(root);
	free(text);
	document_free(doc);
}

static void a_cut_file_is_a_sentence(void **state)
{
	struct document *doc = noisy_compare();
	char *text = written(doc);
	size_t len = strlen(text);
	struct fault fault;

	(void)state;
	for (size_t cut = 1; cut < len - 2; cut += len / 50) {
		char *part = strndup(text, cut);

		assert_null(read_back(part, &fault));
		assert_fault(&fault, STATUS_ERROR, "test.json");
		free(part);
	}
	free(text);
	document_free(doc);
}

/* Put @to in the place of the first @from of what is read back, the sets first. */
static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(strstr(text, "\"sets\":"), from);
	char *out;

	if (!at)
		at = strstr(text, from);
	assert_non_null(at);
	assert_true(asprintf(&out, "%.*s%s%s", (int)(at - text), text, to,
			     at + strlen(from)) > 0);
	return out;
}

static void a_wrong_value_is_a_sentence(void **state)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "spindelay-1", "spindelay-2" },
		{ "\"seed\": 7", "\"seed\": -7" },
		{ "\"seed\": 7", "\"seed\": \"7\"" },
		{ "\"rounds\": 12", "\"rounds\": 1e99" },
		{ "\"window_ms\": 2.0", "\"window_ms\": -1" },
		{ "\"midr\":\"0x", "\"midr\":\"zz" },
		{ "\"sb\":", "\"sb\":7,\"x\":" },
		{ "\"page\":", "\"page\":99,\"x\":" },
		{ "\"role\":\"rounds\",\"cpus\":[0",
		  "\"role\":\"rounds\",\"cpus\":[-1" },
		{ "\"role\":\"rounds\"", "\"role\":\"other\"" },
		{ "\"paddings\":[]", "\"paddings\":[{},{},{},{}]" },
		{ "\"paddings\":[]", "\"paddings\":[{\"against\":9}]" },
		{ "\"match\": \"count\"", "\"match\": \"none\"" },
		{ "\"precision\": 0.0", "\"precision\": -1.0" },
		{ "\"notes\": []", "\"notes\": [7]" },
		{ "{\"set\":0", "{\"set\":1" },
		{ "\"placement\":0", "\"placement\":77" },
		{ "\"placement\":0", "\"placement\":1" },
		{ "\"round\":0", "\"round\":1" },
		{ "\"order\": \"spread\"", "\"order\": \"spreads\"" },
		{ "\"jitter\":20", "\"jitter\":101" },
		{ "\"lines\":4", "\"lines\":65" },
		{ "\"wfet_ns\":900", "\"wfet_ns\":100001" },
		{ "\"spin_wait_delay\":0", "\"spin_wait_delay\":6001" },
		{ "\"pause_multiplier\":51", "\"pause_multiplier\":101" },
		{ "\"read_share\":80", "\"read_share\":101" },
		{ "\"growth\":50", "\"growth\":1001" },
		{ "\"wrap\":1", "\"wrap\":2" },
		{ "\"weight\":10", "\"heavy\":10" },
		{ "\"nap_us\":4294967295", "\"nap_us\":-1" },
		{ "\"sync_spin_loops\":4294967295",
		  "\"sync_spin_loops\":4294967296" },
		{ "\"share\":{\"asked\":0.19", "\"share\":{\"asked\":1.0" },
		{ "\"share\":{\"asked\":", "\"share\":{\"x\":" },
		{ "\"waits\":[[", "\"waits\":[[200,1],[" },
		{ "\"waits\":[[", "\"waits\":[[150,1],[" },
		{ "\"waits\":[[", "\"waits\":[[1,1,1],[" },
		{ "\"waits\":[[", "\"waits\":[[0],[" },
		{ "\"invalid\":0", "\"invalid\":4294967295" },
		{ "\"invalid\":0", "\"invalid\":-1" },
		{ "\"ticks\":", "\"ticks\":1.5,\"x\":" },
		{ "\"ticks\":", "\"ticks\":null,\"x\":" },
		{ "\"ticks\":", "\"ticks\":NaN,\"x\":" },
		{ "\"ticks\":", "\"ticks\":\"2000\",\"x\":" },
		{ "\"ticks\":", "\"ticks\":9223372036854775808,\"x\":" },
		{ "\"ticks\":", "\"x\":" },
		{ "\"ticks\":", "\"ticks\":1,\"ticks\":" },
		{ "\"count\":1", "\"count\":0" },
		{ "\"count\":1", "\"count\":4097" },
		{ "\"count\":1", "\"flags\":8,\"count\":1" },
		{ "\"node\":-1", "\"node\":-2" },
		{ "\"node\":-1", "\"node\":2147483648" },
		{ "\"cpus\":[0,1]", "\"cpus\":[0,4096]" },
		{ "\"cpus\":[0,1]", "\"cpus\":[1,1]" },
		{ "\"cpus\":[0,1]", "\"cpus\":[0,2]" },
		{ "\"cpus\":[0,1]", "\"cpus\":[]" },
		{ "\"counter_hz\":1000000000", "\"counter_hz\":0" },
		{ "\"midr\":\"0x", "\"midr\":\"0x1" },
		{ "\"kernel\":\"6", "\"kernel\":\"\\u001b[2J" },
		{ "\"warnings\":[\"a", "\"warnings\":[\"\\n" },
		{ "\"windows\": [", "\"windows\": {}, \"x\": [" },
		{ "\"windows\": [", "\"windows\": [[], " },
		{ "\"windows\": [", "\"sets\": [], \"windows\": [" },
		{ "\"acquisitions\",\"polls\"", "\"polls\",\"acquisitions\"" },
	};
	struct document *doc = noisy_compare();
	char *text = written(doc), *changed;
	struct fault fault;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		changed = replaced(text, cases[i].from, cases[i].to);
		if (read_back(changed, &fault))
			fail_msg("took %s", cases[i].to);
		assert_fault(&fault, STATUS_ERROR, "test.json");
		free(changed);
	}
	free(text);
	document_free(doc);
}

/* So many of them that their results would take gigabytes. */
static void more_sets_than_can_be_measured_are_refused(void **state)
{
	struct spindelay_variant variants[SPINDELAY_VARIANTS_MAX];
	u32 cpus[SPINDELAY_CPUS_MAX];
	struct document *doc = noisy_compare();
	struct fault fault;
	char *text;

	(void)state;
	for (unsigned int i = 0; i < SPINDELAY_VARIANTS_MAX; i++)
		variants[i] = doc->sets[0].variants[0];
	for (unsigned int i = 0; i < SPINDELAY_CPUS_MAX; i++)
		cpus[i] = i;
	for (unsigned int i = 0; i < 33; i++)
		document_add_set(doc, variants, SPINDELAY_VARIANTS_MAX, cpus,
				 SPINDELAY_CPUS_MAX);
	text = written(doc);
	assert_null(read_back(text, &fault));
	assert_fault(&fault, STATUS_ERROR, "more sets than can be measured");
	free(text);
	document_free(doc);
}

/* The sentence says which of the windows it is. */
static void the_window_that_is_wrong_is_named(void **state)
{
	struct document *doc = noisy_compare();
	struct fault fault;
	char *text;

	(void)state;
	doc->sets[0].windows[4].abi.variant =
		doc->sets[0].windows[3].abi.variant;
	text = written(doc);
	assert_null(read_back(text, &fault));
	assert_fault(&fault, STATUS_ERROR, "window 5: ", "follow");
	free(text);
	document_free(doc);
}

static void a_round_that_is_not_whole_is_missed(void **state)
{
	struct document *doc = noisy_compare();
	size_t nr = doc->sets[0].nr_windows;
	struct fault fault;
	char *text;

	(void)state;
	doc->sets[0].nr_windows = nr - 1;
	text = written(doc);
	assert_null(read_back(text, &fault));
	assert_fault(&fault, STATUS_ERROR, "a round is not whole");
	free(text);
	doc->sets[0].nr_windows = nr;
	document_free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_the_same_to_the_last_digit),
		cmocka_unit_test(numbers_are_written_to_the_last_digit),
		cmocka_unit_test(the_backend_is_read_back),
		cmocka_unit_test(costs_are_the_same_to_the_last_digit),
		cmocka_unit_test(the_document_is_that_of_the_contract),
		cmocka_unit_test(costs_are_those_of_the_contract),
		cmocka_unit_test(a_cut_file_is_a_sentence),
		cmocka_unit_test(a_wrong_value_is_a_sentence),
		cmocka_unit_test(more_sets_than_can_be_measured_are_refused),
		cmocka_unit_test(the_window_that_is_wrong_is_named),
		cmocka_unit_test(a_round_that_is_not_whole_is_missed),
	};

	return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
