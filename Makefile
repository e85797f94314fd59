# The words a contributor needs. What is missing on the machine is installed on the way.
SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help run build test test-rust test-e2e conformance contract cluster soak measure bench lint fmt deny bundle bundle-record shots

help: ## List these words
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-15s %s\n", $$1, $$2 }' Makefile

run: bundle ## Build, then serve the preview data; ARGS='--calm' is passed on
	@cargo run --locked --package opsdeck -- preview $(ARGS)

build: bundle ## Leave one self-contained binary in target/release/opsdeck
	@cargo build --release --locked --package opsdeck

test: ## Run everything: format, lints, seams, Rust tests, conformance, fuzzing of the OpenAPI document, browser tests
	@scripts/test.sh format bundle lint rust conformance contract e2e

test-rust: ## Run the Rust tests
	@scripts/test.sh rust

test-e2e: ## Run the browser tests; ARGS='-g approval' is passed on
	@scripts/test.sh e2e

conformance: ## Compare the REST API with the recorded answers
	@scripts/test.sh conformance

contract: ## Fuzz the REST API by its OpenAPI document, and use a client that is generated from it
	@scripts/test.sh contract

cluster: ## Bring up a real API server with the sample objects and say how to use it
	@scripts/tools.sh cluster
	@cargo test --quiet --locked --package opsdeck --test cluster -- --ignored --nocapture stay

soak: ## Vote 100 rounds at once, kill a server 100 times among people who decide, and run 200 schedules of network faults against a real API server; OPSDECK_SEED=n begins at another one
	@scripts/tools.sh cluster
	@OPSDECK_ROUNDS=$${OPSDECK_ROUNDS:-100} cargo test --locked --package opsdeck --test it -- who_vote_at_once
	@OPSDECK_ROUNDS=$${OPSDECK_ROUNDS:-100} cargo test --locked --package opsdeck --test store -- deeds
	@OPSDECK_ROUNDS=$${OPSDECK_ROUNDS:-100} OPSDECK_SCHEDULES=$${OPSDECK_SCHEDULES:-200} cargo test --locked --package opsdeck --test cluster -- --nocapture faults votes

measure: ## Measure memory and start-up by how many objects a real API server has; OPSDECK_OBJECTS='1000 10000', OPSDECK_BIN=path
	@scripts/tools.sh cluster
	@cargo test --quiet --locked --package opsdeck --test cluster -- --ignored --nocapture --test-threads 1 measure

bench: ## Measure the catalog at 1k, 10k and 100k incidents, and what strangers cost at the door
	@cargo bench --locked --package opsdeck

lint: ## Check format and lints of Rust, shell and TypeScript
	@scripts/test.sh format bundle lint

fmt: ## Format the Rust code
	@cargo fmt --all

deny: ## Check licences, bans and sources of the dependencies; CHECK=advisories needs the open network
	@scripts/tools.sh deny
	@source scripts/env.sh && cargo deny check $(or $(CHECK),bans licenses sources)

bundle: ## Build the dashboard for the browser into target/site, unless it is there already
	@scripts/bundle.sh

bundle-record: bundle ## Accept the size of the bundle
	@node scripts/bundle-size.mjs --record

shots: ## Write screenshots of every page into shots/
	@scripts/test.sh shots
