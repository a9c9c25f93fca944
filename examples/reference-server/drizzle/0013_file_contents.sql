CREATE TABLE "file_contents" (
	"storage_key" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "stored_files" ADD COLUMN "created_by_audience" text DEFAULT 'admin' NOT NULL;--> statement-breakpoint
CREATE INDEX "file_contents_state_changed_at_index" ON "file_contents" USING btree ("state","changed_at");