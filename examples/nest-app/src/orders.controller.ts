import { Body, Controller, Get, Post } from '@nestjs/common';
import { type AuditFileLine, readAuditFile } from '@sallyport/audit-log/file';
import { Route } from './fastify-in-nest.js';

export const auditFile = process.env.AUDIT_FILE ?? 'audit.ndjson';
const orders: { id: number; item: string }[] = []; // your own table

@Controller()
export class OrdersController {
  @Get('orders')
  @Route({ access: 'admin', audit: 'order' })
  list() {
    return { data: orders };
  }

  @Post('orders')
  @Route({ access: 'admin', audit: 'order', idempotency: true })
  create(@Body() { item }: { item: string }) {
    const order = { id: orders.length + 1, item };
    orders.push(order);
    return { data: order };
  }

  @Get('audit-records')
  @Route({ access: 'admin', audit: 'audit-record' })
  async records() {
    const records: AuditFileLine[] = [];
    for await (const line of readAuditFile(auditFile)) records.push(line);
    return { data: records };
  }
}
