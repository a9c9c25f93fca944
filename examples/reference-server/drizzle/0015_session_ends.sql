CREATE TABLE "session_ends" (
	"session_id" text PRIMARY KEY NOT NULL,
	"audience" text NOT NULL,
	"subject" text NOT NULL,
	"reason" text NOT NULL,
	"ended_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "session_ends_expires_at_index" ON "session_ends" USING btree ("expires_at");