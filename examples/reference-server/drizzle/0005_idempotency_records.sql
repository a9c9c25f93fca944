CREATE TABLE "idempotency_records" (
	"scope" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"digest" text NOT NULL,
	"owner" text,
	"is_transactional" boolean NOT NULL,
	"leased_until" timestamp with time zone,
	"changed_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "idempotency_records_expires_at_index" ON "idempotency_records" USING btree ("expires_at");