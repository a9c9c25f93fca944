CREATE INDEX "administrators_username_search" ON "administrators" USING btree ("username" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "administrators_display_name_search" ON "administrators" USING btree (lower("display_name") text_pattern_ops);--> statement-breakpoint
CREATE INDEX "payments_created_at_index" ON "payments" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "payments_payee_search" ON "payments" USING btree (lower("payee") text_pattern_ops);--> statement-breakpoint
CREATE INDEX "stored_files_display_name_search" ON "stored_files" USING btree (lower("display_name") text_pattern_ops);--> statement-breakpoint
CREATE INDEX "ttl_entries_list_index" ON "ttl_entries" USING btree ("key" collate "C") WHERE "value" = 'an item';