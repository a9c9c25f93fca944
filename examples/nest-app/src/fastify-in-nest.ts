import { STATUS_CODES } from 'node:http';
import { type ArgumentsHost, Catch, createParamDecorator, type ExecutionContext, HttpException } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Principal } from '@sallyport/auth-tokens';
import type { FastifyContextConfig, FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** `@RouteConfig` takes anything. This one takes what the plugins declare: a misspelt member does not compile. */
export const Route = (config: FastifyContextConfig): MethodDecorator => RouteConfig(config);

/** Whom the token belongs to. Null on public routes. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Principal | null =>
    context.switchToHttp().getRequest<FastifyRequest>().principal,
);

/** Nest replaces Fastify's error handler by one that drops the `code` of an error. This one keeps it. */
@Catch()
export class CodedErrorFilter extends BaseExceptionFilter {
  override catch(exception: unknown, host: ArgumentsHost): void {
    const error = Object(exception instanceof HttpException ? exception.cause : exception) as Partial<FastifyError>;
    const { code, statusCode, message } = error;
    if (code === undefined || statusCode === undefined) {
      super.catch(exception, host);
      return;
    }
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    reply.code(statusCode).send({ statusCode, code, error: STATUS_CODES[statusCode], message });
  }
}
