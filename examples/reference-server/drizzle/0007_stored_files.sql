CREATE TABLE "stored_files" (
	"id" uuid PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"storage_key" text NOT NULL,
	"display_name" text NOT NULL,
	"extension" text NOT NULL,
	"media_type" text NOT NULL,
	"size" bigint NOT NULL,
	"sha256" text NOT NULL,
	"public_preview" boolean NOT NULL,
	"created_by" uuid NOT NULL,
	"upload_key" uuid,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "stored_files_storage_key_unique" UNIQUE("storage_key"),
	CONSTRAINT "stored_files_created_by_upload_key_unique" UNIQUE("created_by","upload_key")
);
--> statement-breakpoint
CREATE INDEX "stored_files_state_id_index" ON "stored_files" USING btree ("state","id");