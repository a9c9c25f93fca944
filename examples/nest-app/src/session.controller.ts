import { scryptSync, timingSafeEqual } from 'node:crypto';
import { Body, Controller, HttpCode, Post, Req, UnauthorizedException } from '@nestjs/common';
import type { Principal } from '@sallyport/auth-tokens';
import type { FastifyRequest } from 'fastify';
import { Caller, Route } from './fastify-in-nest.js';

// One account in place of your table: ada, correct horse.
const hashOf = (password: string) => scryptSync(password, 'a salt for each account', 32);
const hash = hashOf('correct horse');

@Controller()
export class SessionController {
  @Post('login')
  @HttpCode(200)
  @Route({ access: 'public', audit: { action: 'session.begin' } })
  async login(@Req() { server }: FastifyRequest, @Body() body: { username?: unknown; password?: unknown }) {
    const isRight = timingSafeEqual(hashOf(String(body?.password)), hash) && body.username === 'ada';
    if (!isRight) throw new UnauthorizedException('Wrong name or password');
    return server.authTokens.issue({ subject: 'ada', audience: 'admin' });
  }

  @Post('logout')
  @HttpCode(204)
  @Route({ access: 'admin', audit: { action: 'session.end' } })
  async logout(@Req() { server }: FastifyRequest, @Caller() { sessionId }: Principal) {
    await server.authTokens.revoke(sessionId);
  }
}
