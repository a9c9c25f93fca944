CREATE TABLE "audit_chain_heads" (
	"chain" text PRIMARY KEY NOT NULL,
	"sequence" bigint NOT NULL,
	"mac" text NOT NULL,
	"cut" jsonb
);
--> statement-breakpoint
CREATE TABLE "audit_records" (
	"sequence" bigint PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"occurred_at" timestamp with time zone NOT NULL,
	"actor" text,
	"action" text NOT NULL,
	"target" text,
	"outcome" text NOT NULL,
	"reason" text,
	"duration_millis" double precision NOT NULL,
	"parameters" jsonb NOT NULL,
	"client_ip" text,
	"extra" jsonb NOT NULL,
	"previous" text NOT NULL,
	"mac" text NOT NULL,
	"key_id" text NOT NULL,
	CONSTRAINT "audit_records_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE INDEX "audit_records_occurred_at_index" ON "audit_records" USING btree ("occurred_at");--> statement-breakpoint
CREATE INDEX "audit_records_client_ip_index" ON "audit_records" USING btree ("client_ip");--> statement-breakpoint
CREATE INDEX "audit_records_actor_index" ON "audit_records" USING btree ("actor");--> statement-breakpoint
CREATE INDEX "audit_records_action_index" ON "audit_records" USING btree ("action");--> statement-breakpoint
CREATE INDEX "audit_records_request_id_index" ON "audit_records" USING hash (("extra" ->> 'requestId'));